# Checks of the text of the tree rather than of its behaviour, as tests (style.*, docs.*) and as
# targets: format, format-check, tidy. `ctest -R tidy.coarsen` looks at one layer only; tidy takes
# minutes, so the test presets leave its label out.
foreach(script layers words)
  add_test(NAME style.${script}
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/${script}.py ${PROJECT_SOURCE_DIR})
endforeach()

file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/*.md)
foreach(page ${pages})
  file(STRINGS ${page} commands REGEX "^\\$ ")
  if(commands)
    get_filename_component(name ${page} NAME_WE)
    add_test(NAME docs.${name} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/docs_commands.py
                                       --binary $<TARGET_FILE:ziggurat> ${page})
  endif()
endforeach()

# Another release of these two formats and warns differently, hence the exact version.
find_program(CLANG_FORMAT clang-format-14)
find_program(CLANG_TIDY clang-tidy-14)
file(GLOB_RECURSE formatted CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp
     ${PROJECT_SOURCE_DIR}/src/*.[ch]pp ${PROJECT_SOURCE_DIR}/tests/*.[ch]pp)
if(CLANG_FORMAT)
  add_custom_target(format COMMAND ${CLANG_FORMAT} -i ${formatted} VERBATIM)
  add_custom_target(format-check COMMAND ${CLANG_FORMAT} --dry-run -Werror ${formatted} VERBATIM)
  add_test(NAME style.format COMMAND ${CLANG_FORMAT} --dry-run -Werror ${formatted})
endif()
if(CLANG_TIDY)
  add_custom_target(tidy COMMAND ${CMAKE_CTEST_COMMAND} -L tidy --output-on-failure -j2 USES_TERMINAL)
  get_property(layers GLOBAL PROPERTY ZIGGURAT_LAYERS)
  foreach(layer IN LISTS layers)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp)
    add_test(NAME tidy.${layer}
             COMMAND ${CLANG_TIDY} --quiet -p ${PROJECT_BINARY_DIR} --extra-arg=-w ${sources})
    # The dearest first: begun last, one of them would keep a single processor busy at the end.
    list(LENGTH sources n_sources)
    set_tests_properties(tidy.${layer} PROPERTIES LABELS tidy TIMEOUT 900 COST ${n_sources})
  endforeach()
endif()
