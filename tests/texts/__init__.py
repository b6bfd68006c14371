"""The net under every refactoring: the text that the compiler generates for each program that the tests know, as hashes in a file.

``python -m tests.texts`` names the texts that are not what ``hashes.txt`` says; a commit that means to change nothing changes none.
"""
