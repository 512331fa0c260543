import { expect, it } from 'vitest'
import { lacking } from '../../src/call/scope.ts'

it.each([
  [undefined, {}, undefined],
  [['a'], { local: true }, undefined],
  [['a', 'b'], { auth: { principal: 'p', scopes: ['b', 'a'] } }, undefined],
  [[], {}, undefined],
  [['a', 'b'], { auth: { principal: 'p', scopes: ['a'] } }, ['a', 'b']],
  [['a'], { auth: { principal: 'p' } }, ['a']],
  [['a'], { local: false }, ['a']],
])(
  'lacking(%j, %j) returns all required scopes if the caller lacks one of them',
  (scopes, caller, missing) => {
    expect(lacking(scopes, caller)?.data).toEqual(missing && { scopes: missing })
  },
)
