# What failed, of jest's output: each failure's own message once (jest repeats them at its end), at most 60 lines of each and 400 in all.
function off() { inside = 0 }
/^(PASS|FAIL) / { file = $2; off(); next }
/^(Summary of all failing tests|Test Suites:)/ { off(); next }
/^  ● Console$/ { off(); next }
/^  ● / {
  key = file SUBSEP $0
  inside = !(key in seen)
  seen[key] = 1
  lines = 0
  if (inside && file != shown) { print file; shown = file }
}
inside && total < 400 && lines < 60 {
  print
  lines++
  if (++total == 400) print "  (more failed than is shown here)"
}
