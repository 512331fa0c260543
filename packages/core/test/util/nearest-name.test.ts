import { expect, it } from 'vitest'
import { nearestName } from '../../src/util/check-options.ts'

it.each([
  ['the same but for capitals and separators', 'MAX_Tasks-x', ['maxTask', 'max-tasksX'], 'max-tasksX'],
  ['two of five replaced', 'abcde', ['abxye'], 'abxye'],
  ['three of five replaced', 'abcde', ['abxyz'], undefined],
  ['one of three replaced', 'abc', ['abx'], 'abx'],
  ['two of three replaced', 'abc', ['axy'], undefined],
  ['two too many in front', 'xyabc', ['abc'], 'abc'],
  ['three too many in front', 'xyzab', ['ab'], undefined],
  ['two too many inside', 'abxyc', ['abc'], 'abc'],
  ['two too many at the end', 'abcxy', ['abc'], 'abc'],
  ['two missing in front', 'abcde', ['xyabcde'], 'xyabcde'],
  ['three missing in front', 'abcde', ['xyzabcde'], undefined],
  ['two missing inside', 'abcde', ['abxycde'], 'abxycde'],
  ['one replaced, one missing', 'abcde', ['xbcdef'], 'xbcdef'],
  ['the nearer of two', 'abcde', ['abxye', 'abcdx'], 'abcdx'],
  ['the first of two that are equally near', 'abcde', ['abcdx', 'abcdy'], 'abcdx'],
  ['a similar one before one that begins with it', 'abcd', ['abcdefghi', 'abcx'], 'abcx'],
  ['the first that begins with it', 'ttl', ['maxTtl', 'ttl-minimum', 'ttlMaximum'], 'ttl-minimum'],
  ['a beginning of two characters', 'tt', ['ttl-minimum'], undefined],
  ['nothing known', 'abc', [], undefined],
])('the name that a wrong one means: %s', (_what, name, known, nearest) => {
  expect(nearestName(name, known)).toBe(nearest)
})
