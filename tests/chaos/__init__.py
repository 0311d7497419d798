"""Everything at once, for a while: kills, pauses, an unwell Redis, duplicates, double clicks; then the same invariants.

make chaos                    a table of counts after five minutes
make chaos ARGS="--seconds 20"
"""
