import { describe, expect, it } from 'vitest'
import type { SamplingContent } from '../../../src/protocol/types.ts'
import { elicitUrl, sample, type SamplingMessage } from '../../../src/call/input/question.ts'

it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc', '/relative', ''])(
  'elicitUrl rejects %j',
  (url) => {
    expect(() => elicitUrl('Open', url)).toThrow('elicitUrl needs an absolute https: URL')
  },
)

describe('tool calls in sampling messages, https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#tool-use-in-sampling', () => {
  const use = (id: string): SamplingContent => ({ type: 'tool_use', id, name: 'a', input: {} })
  const outcome = (toolUseId: string): SamplingContent => ({ type: 'tool_result', toolUseId, content: [] })
  const text: SamplingContent = { type: 'text', text: 'x' }
  const turns = (...contents: SamplingMessage['content'][]): (() => unknown) => {
    const messages = contents.map((content, i) => ({ role: i % 2 ? 'user' : 'assistant', content }) as const)
    return () => sample({ messages, maxTokens: 1 })
  }

  it('are accepted if the next message contains all their results', () => {
    expect(turns([text, use('1'), use('2')], [outcome('2'), outcome('1')], text)).not.toThrow()
    expect(turns(use('1'), outcome('1'), [use('2')], outcome('2'))).not.toThrow()
  })

  it.each<[string, () => unknown]>([
    ['without a result', turns(use('1'))],
    ["with another call's result", turns(use('1'), outcome('2'))],
    ['with some of the results', turns([use('1'), use('2')], outcome('1'))],
    ['with text next to the results', turns(use('1'), [outcome('1'), text])],
    ['with an extra result', turns(use('1'), [outcome('1'), outcome('2')])],
    ['with a repeated result', turns(use('1'), [outcome('1'), outcome('1')])],
    ['without a tool_use', turns([text], outcome('1'))],
    ['in a user message', turns([text], use('1'), outcome('1'))],
  ])('are rejected %s', (_what, ask) => {
    expect(ask).toThrow('needs one tool_result for each and nothing else')
  })
})
