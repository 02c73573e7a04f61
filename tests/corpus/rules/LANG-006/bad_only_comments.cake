# expect: LANG-006
