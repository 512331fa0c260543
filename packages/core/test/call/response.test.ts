import { describe, expect, it } from 'vitest'
import { largeAnswer } from '../../src/call/response.ts'
import { SerializedResult } from '../../src/call/result.ts'

const result = new SerializedResult('{"tools":["ä€😀"]}', () => ({}))
const text = (answer: ReturnType<typeof largeAnswer>): string => new TextDecoder().decode(answer.bytes())

describe('the response with a large serialised result', () => {
  it.each([
    ['no member of its revision', '{}', { tools: ['ä€😀'] }],
    [
      'the members that its revision puts into every result',
      '{"resultType":"complete"}',
      { resultType: 'complete', tools: ['ä€😀'] },
    ],
  ])('is the same as text and as bytes, with %s', (_what, empty, expected) => {
    for (const id of [1, 'é"1']) {
      const answer = largeAnswer(id, empty, result)
      expect(text(answer)).toBe(answer.frame)
      expect(JSON.parse(answer.frame)).toEqual({ jsonrpc: '2.0', id, result: expected })
    }
  })

  it('has bytes that no other response shares', () => {
    const [one, two] = [largeAnswer(1, '{}', result), largeAnswer(2, '{}', result)]
    one.bytes().fill(0)
    expect(text(two)).toBe(two.frame)
  })
})
