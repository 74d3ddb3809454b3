import os

import numpy as np

import attnscope
from attnscope._files import map_tensors, write_tensors
from attnscope._program import sentence
from support import Case


class Files(Case):
    def test_tensors_come_back_as_they_were_written(self):
        arrays = {"a": np.arange(3, dtype=np.int8), "b": np.arange(6.0).reshape(2, 3), "none": np.zeros((0, 4), np.float16),
                  "truth": np.array([True, False]), "big end": np.arange(4, dtype=">i4"), "column": np.eye(3)[:, 1]}
        path = self.path("a.safetensors")
        write_tensors(path, arrays, {"tokens": "[\"ü\"]"})
        back = map_tensors(path)
        self.assertEqual(os.listdir(self.folder).count("a.safetensors.part"), 0)
        self.assertEqual(set(back), set(arrays))
        for name, array in arrays.items():
            np.testing.assert_array_equal(back[name], array)
            self.assertEqual(back[name].dtype, array.dtype.newbyteorder("="))
            self.assertIs(type(back[name]), np.ndarray)
            self.assertTrue(back[name].flags.aligned, name)

    def test_mapped_arrays_can_be_written_into_and_outlive_the_file(self):
        path = self.path("a.safetensors")
        write_tensors(path, {"a": np.zeros(5)}, {})
        array = map_tensors(path)["a"]
        array[2] = 7
        self.assertEqual(map_tensors(path)["a"][2], 0)
        os.unlink(path)
        self.assertEqual(array.tolist(), [0, 0, 7, 0, 0])

    def test_what_is_no_number_is_refused(self):
        with self.refused("complex128"):
            write_tensors(self.path("a.safetensors"), {"a": np.zeros(2, complex)}, {})
        with self.refused("Cannot write"):
            write_tensors(self.path("no/folder"), {"a": np.zeros(2)}, {})

    def test_the_program_is_quoted(self):
        self.assertEqual(sentence("libGL: noise\nattnscope: It is so.\n", "else"), "It is so.")
        self.assertEqual(sentence("\ratlas: 3 %\ratlas: 9 %\nKilled\n", "else"), "Killed")
        self.assertEqual(sentence("", "else"), "else")

    def test_a_missing_program_is_said(self):
        self.set_variable("ATTNSCOPE_PROGRAM", self.path("none"))
        with self.refused("is missing"):
            attnscope.Model(self.folder)

    def test_only_what_is_there_is_in_the_package(self):
        for name in attnscope.__all__:
            self.assertTrue(hasattr(attnscope, name), name)
            self.assertIn(name, dir(attnscope))
        self.assertIsInstance(attnscope.__version__, str)
        with self.assertRaises(AttributeError):
            attnscope.watchh
