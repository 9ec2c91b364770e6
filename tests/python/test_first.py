def test_it(ziggurat):
    assert ziggurat.__version__
