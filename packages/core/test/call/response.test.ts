import { describe, expect, it } from 'vitest'
import { largeAnswer } from '../../src/call/response.ts'
import { SerializedResult } from '../../src/call/result.ts'

const result = new SerializedResult('{"tools":["ä€😀"]}', () => ({}))
const text = (answer: ReturnType<typeof largeAnswer>): string => new TextDecoder().decode(answer.bytes())

describe('a response with a large serialised result', () => {
  it.each([
    ['without members from its revision', '{}', { tools: ['ä€😀'] }],
    [
      'with the members that its revision adds to every result',
      '{"resultType":"complete"}',
      { resultType: 'complete', tools: ['ä€😀'] },
    ],
  ])('has the same content as text and as bytes, %s', (_what, empty, expected) => {
    for (const id of [1, 'é"1']) {
      const answer = largeAnswer(id, empty, result)
      expect(text(answer)).toBe(answer.frame)
      expect(JSON.parse(answer.frame)).toEqual({ jsonrpc: '2.0', id, result: expected })
    }
  })

  it('does not share its bytes with other responses', () => {
    const [one, two] = [largeAnswer(1, '{}', result), largeAnswer(2, '{}', result)]
    one.bytes().fill(0)
    expect(text(two)).toBe(two.frame)
  })
})
