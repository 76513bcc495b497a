"""The untrusted code: it runs in the zygote and in students' processes, and nothing that it says is believed.

It is started as a program (`python -m nbproctor.inside.zygote`) and imported by nothing else. Of the rest of the
package it may import the modules of `border`, and no more: it knows no course, no
check and no verdict.
"""
