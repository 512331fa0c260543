import { expect, it } from 'vitest'
import { MiddlewareStack, paramsFault } from '../../src/call/middleware.ts'

it.each([
  ['tools/list', {}, undefined],
  ['toString', {}, undefined],
  ['tools/call', { name: 'a' }, undefined],
  ['tools/call', { name: 'a', arguments: {} }, undefined],
  ['tools/call', { name: 1 }, 'params.name must be a string'],
  ['tools/call', { name: 'a', arguments: [] }, 'params.arguments must be an object'],
  ['resources/read', { name: 'a' }, 'params.uri must be a string'],
])('paramsFault(%s, %j) returns the problem, if any', (method, params, fault) => {
  expect(paramsFault(method, params as never)).toBe(fault)
})

it('MiddlewareStack returns method-specific and general middleware in the order of registration', () => {
  const stack = new MiddlewareStack()
  expect(stack.around('ping')).toBeUndefined()
  const [one, all, other] = [1, 2, 3].map(() => (_ctx: unknown, next: () => Promise<object>) => next())
  stack.add('tools/call', one as never)
  expect(stack.around('ping')).toBeUndefined()
  stack.add(undefined, all as never)
  stack.add('tools/call', other as never)
  expect([stack.around('tools/call'), stack.around('ping')]).toEqual([[one, all, other], [all]])
})
