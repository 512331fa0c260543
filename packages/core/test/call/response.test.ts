import { describe, expect, it } from 'vitest'
import { LargeAnswer } from '../../src/call/response.ts'
import { SerializedResult } from '../../src/call/result.ts'

const result = new SerializedResult('{"tools":["ä€😀"]}', () => ({}))
const text = (answer: LargeAnswer): string => new TextDecoder().decode(answer.bytes())

describe('the response with a large serialised result', () => {
  it.each([
    ['nothing of its revision', '{}', { tools: ['ä€😀'] }],
    [
      'what its revision puts into every result',
      '{"resultType":"complete"}',
      { resultType: 'complete', tools: ['ä€😀'] },
    ],
  ])('is the same as text and as bytes, with %s', (_what, empty, expected) => {
    for (const id of [1, 'é"1']) {
      const answer = new LargeAnswer(id, empty, result)
      expect(text(answer)).toBe(answer.frame)
      expect(JSON.parse(answer.frame)).toEqual({ jsonrpc: '2.0', id, result: expected })
    }
  })

  it('has bytes that no other response shares', () => {
    const [one, two] = [new LargeAnswer(1, '{}', result), new LargeAnswer(2, '{}', result)]
    one.bytes().fill(0)
    expect(text(two)).toBe(two.frame)
  })
})
