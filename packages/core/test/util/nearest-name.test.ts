import { expect, it } from 'vitest'
import { nearestName } from '../../src/util/check-options.ts'

it.each([
  ['equal except for capitals and separators', 'MAX_Tasks-x', ['maxTask', 'max-tasksX'], 'max-tasksX'],
  ['two of five replaced', 'abcde', ['abxye'], 'abxye'],
  ['three of five replaced', 'abcde', ['abxyz'], undefined],
  ['one of three replaced', 'abc', ['abx'], 'abx'],
  ['two of three replaced', 'abc', ['axy'], undefined],
  ['two extra characters in front', 'xyabc', ['abc'], 'abc'],
  ['three extra characters in front', 'xyzab', ['ab'], undefined],
  ['two extra characters inside', 'abxyc', ['abc'], 'abc'],
  ['two extra characters at the end', 'abcxy', ['abc'], 'abc'],
  ['two characters missing in front', 'abcde', ['xyabcde'], 'xyabcde'],
  ['three characters missing in front', 'abcde', ['xyzabcde'], undefined],
  ['two characters missing inside', 'abcde', ['abxycde'], 'abxycde'],
  ['one character replaced, one missing', 'abcde', ['xbcdef'], 'xbcdef'],
  ['the closer of two', 'abcde', ['abxye', 'abcdx'], 'abcdx'],
  ['the first of two equally close names', 'abcde', ['abcdx', 'abcdy'], 'abcdx'],
  ['a similar name before one that starts with it', 'abcd', ['abcdefghi', 'abcx'], 'abcx'],
  ['the first name that starts with it', 'ttl', ['maxTtl', 'ttl-minimum', 'ttlMaximum'], 'ttl-minimum'],
  ['a prefix of two characters', 'tt', ['ttl-minimum'], undefined],
  ['no known names', 'abc', [], undefined],
])('`nearestName` suggests the intended name: %s', (_what, name, known, nearest) => {
  expect(nearestName(name, known)).toBe(nearest)
})
