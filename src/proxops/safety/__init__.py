"""The last word before metal moves: limits, ranges, interlocks, modes, guard. Imports lab, core and maths only."""
