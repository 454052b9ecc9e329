"""What may leave the machine: the rule, what it is judged by, and the net under it.

``rule`` decides by the source column and the source rows behind each value (``origin``, ``traced``), ``rules`` holds
what that means for the output of each tool, and ``cells`` finds what slipped through.
"""
