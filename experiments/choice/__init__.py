"""How good the choice of a partition by evidence is: every proposal before and after mending, what was chosen, and the regret.

cd experiments
python -m choice measure --jobs 2      # every set, five seeds; stopped and started again, it goes on where it was
python -m choice constants --jobs 2    # other values of the constants that were chosen with a look at scores
python -m choice publish               # tables into docs/choice.md
"""
