// RUN: teloom-opt %s --verify-diagnostics

schedule.sequence @one on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  // expected-error@+1 {{1 lanes; there must be at least 2}}
  %o, %n = geometry.lanes %i by 1
}
