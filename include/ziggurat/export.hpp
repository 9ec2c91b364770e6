// What the library shows to those who link it; everything else in it is hidden.
#pragma once

#define ZIGGURAT_API __attribute__((visibility("default")))
