import { assert, jsonValue, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, digestOf, mergeResponses, responseTo } from '../../../src/call/input/inputs.ts'

describe('mergeResponses', () => {
  const accepted = { action: 'accept', content: {} }

  it('collects the answers from all rounds', () => {
    const first = mergeResponses(new Map(), new Map([['a', 'pin a']]), { a: accepted })
    const second = mergeResponses(first, new Map([['b', 'pin b']]), { b: { action: 'decline' } })
    expect([...second.keys()]).toEqual(['a', 'b'])
    expect(responseTo(second, 'a', 'pin a')).toBe(accepted)
    expect([...first.keys()]).toEqual(['a'])
  })

  it('accepts answers only to questions that were asked', () => {
    const asked = new Map([['a', 'pin']])
    expect(mergeResponses(new Map(), asked, { b: accepted, a: 'yes' }).size).toBe(0)
    expect(mergeResponses(new Map(), new Map([['toString', 'pin']]), {}).size).toBe(0)
  })

  it('does not reuse an answer for a different question', () => {
    const answers = mergeResponses(new Map(), new Map([['a', 'pin']]), { a: accepted })
    expect(responseTo(answers, 'a', 'another pin')).toBeUndefined()
    expect(responseTo(answers, 'b', 'pin')).toBeUndefined()
  })
})

describe('digestOf', () => {
  it('does not depend on the order of members', async () => {
    expect(await digestOf({ a: 1, b: { c: 2, d: 3 } })).toBe(await digestOf({ b: { d: 3, c: 2 }, a: 1 }))
    expect(await digestOf({ a: 1 })).toMatch(/^[\w-]{43}$/)
  })

  it('differs for values that differ in any other way', () => {
    assert(
      property(jsonValue(), jsonValue(), (a, b) => {
        const alike = canonicalJson(a) === canonicalJson(b)
        expect(alike).toBe(
          canonicalJson(JSON.parse(JSON.stringify(a))) === canonicalJson(JSON.parse(JSON.stringify(b))),
        )
        expect(JSON.parse(canonicalJson(a))).toEqual(JSON.parse(JSON.stringify(a)))
      }),
    )
  })
})
