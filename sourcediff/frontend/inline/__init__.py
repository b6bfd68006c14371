"""Phase 4: in place of calls stands what they call: functions, methods, constructors, derivatives; or a link to it."""
