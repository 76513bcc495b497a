"""The course as it is graded: units with their exercises and checks, and the bank of right and wrong answers.

units: `load_unit` and `load_gradable_unit`. sound: the faults of a unit, as sentences. answers: the bank.
"""
