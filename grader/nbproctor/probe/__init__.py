"""The probe: changes each reference solution in one place at a time, and says which changes the tests let through."""
