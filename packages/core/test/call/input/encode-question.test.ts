import { describe, expect, it } from 'vitest'
import { ClientView } from '../../../src/call/request-context.ts'
import { checkShape, decodeResponse } from '../../../src/call/input/inputs.ts'
import { encodeQuestion, type InputRequest, shownContent } from '../../../src/call/input/encode-question.ts'
import { elicit, elicitUrl, listRoots, type Question, sample } from '../../../src/call/input/question.ts'
import { QuestionError } from '../../../src/errors.ts'
import type { ClientCapabilities } from '../../../src/protocol/types.ts'
import { revision } from '../../support/revision.ts'

const FORM = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const
const form = elicit('Which?', FORM)
const choices = elicit('Which?', {
  type: 'object',
  properties: { a: { type: 'array', items: { type: 'string', enum: ['x'] } } },
})
const url = elicitUrl('Pay', 'https://x/')
const text = { role: 'user', content: { type: 'text', text: 'a' } } as const
const plain = sample({ messages: [text], maxTokens: 1 })
const tools = sample({ messages: [text], maxTokens: 1, tools: [] })
const choice = sample({ messages: [text], maxTokens: 1, toolChoice: {} })
const blocks = sample({ messages: [{ role: 'user', content: [text.content] }], maxTokens: 1 })

const used = sample({
  messages: [
    { role: 'assistant', content: { type: 'tool_use', id: '1', name: 'n', input: {} } },
    { role: 'user', content: { type: 'tool_result', toolUseId: '1', content: [] } },
  ],
  maxTokens: 1,
})

const encode = (question: unknown, capabilities: object, version = '2025-11-25'): InputRequest => {
  const client = new ClientView(undefined, capabilities as ClientCapabilities)
  return encodeQuestion(question as Question, 'q', { revision: revision(version), client })
}

describe('encodeQuestion', () => {
  it.each<[string, unknown, object, string | undefined, InputRequest]>([
    [
      'a form',
      form,
      { elicitation: {} },
      undefined,
      { method: 'elicitation/create', params: { message: 'Which?', requestedSchema: FORM } },
    ],
    [
      'a URL',
      url,
      { elicitation: { url: {} } },
      '2026-07-28',
      { method: 'elicitation/create', params: { mode: 'url', message: 'Pay', url: 'https://x/' } },
    ],
    [
      'a URL with an id',
      url,
      { elicitation: { url: {} } },
      undefined,
      {
        method: 'elicitation/create',
        params: {
          mode: 'url',
          message: 'Pay',
          url: 'https://x/',
          elicitationId: expect.stringMatching(/^[\w-]{22}$/) as string,
        },
      },
    ],
    [
      'a message',
      plain,
      { sampling: {} },
      '2024-11-05',
      { method: 'sampling/createMessage', params: { messages: [text], maxTokens: 1 } },
    ],
    [
      'tools',
      tools,
      { sampling: { tools: {} } },
      undefined,
      { method: 'sampling/createMessage', params: { messages: [text], maxTokens: 1, tools: [] } },
    ],
    ['the roots', listRoots(), { roots: {} }, '2024-11-05', { method: 'roots/list', params: {} }],
  ])('encodes %s as defined by the revision', (_what, question, capabilities, version, request) => {
    expect(encode(question, capabilities, version)).toEqual(request)
  })

  it.each<[string, unknown, object]>([
    ['forms if the client declared elicitation.form', form, { elicitation: { form: {}, url: {} } }],
    ['content blocks in a revision that has them', blocks, { sampling: {} }],
  ])('accepts %s', (_what, question, capabilities) => {
    expect(() => encode(question, capabilities)).not.toThrow()
  })

  it.each<[string, unknown, object, string, object]>([
    ['a form', form, {}, 'elicitation', { elicitation: {} }],
    [
      'a form when the client declared only URLs',
      form,
      { elicitation: { url: {} } },
      'elicitation',
      { elicitation: {} },
    ],
    ['a URL', url, { elicitation: {} }, 'elicitation.url', { elicitation: { url: {} } }],
    ['a message', plain, {}, 'sampling', { sampling: {} }],
    ['tools', tools, { sampling: {} }, 'sampling.tools', { sampling: { tools: {} } }],
    ['a choice of tools', choice, { sampling: {} }, 'sampling.tools', { sampling: { tools: {} } }],
    ['the roots', listRoots(), {}, 'roots', { roots: {} }],
  ])('names the capability that the client lacks: %s', (_what, question, capabilities, name, needed) => {
    expect(() => encode(question, capabilities)).toThrow(
      expect.objectContaining({
        message: `The question "q" cannot be asked: the client has not declared the capability "${name}"; connect with one that does`,
        data: { requiredCapabilities: needed },
      }),
    )
  })

  it.each<[unknown, object, string, string]>([
    [form, { elicitation: {} }, '2025-03-26', 'elicitation/create'],
    [url, { elicitation: { url: {} } }, '2025-06-18', 'elicitation by URL'],
    [choices, { elicitation: {} }, '2025-06-18', 'the field "a": .* has no choice of several'],
    [tools, { sampling: { tools: {} } }, '2025-06-18', 'sampling with tools or lists of blocks'],
    [choice, { sampling: { tools: {} } }, '2025-06-18', 'sampling with tools or lists of blocks'],
    [used, { sampling: {} }, '2025-06-18', 'sampling with tools or lists of blocks'],
    [blocks, { sampling: {} }, '2025-06-18', 'sampling with tools or lists of blocks'],
  ])(
    'rejects a question that the revision does not define (case %#)',
    (question, capabilities, version, what) => {
      const refused = new RegExp(`^The question "q" cannot be asked in protocol revision ${version}: ${what}`)
      expect(() => encode(question, capabilities, version)).toThrow(refused)
    },
  )
})

describe('shownContent', () => {
  const withId = elicitUrl('Pay', (id) => `https://x/${id}`)

  it.each<[string, unknown, object]>([
    ['a form', form, { kind: 'form', message: 'Which?', form: FORM }],
    ['a URL', url, { kind: 'url', message: 'Pay', url: 'https://x/', seesDecline: false }],
    ['a URL with an id', withId, { kind: 'url', message: 'Pay', url: 'https://x/id', seesDecline: false }],
    ['a message', plain, { kind: 'sampling', params: { messages: [text], maxTokens: 1 } }],
    ['the roots', listRoots(), { kind: 'roots' }],
  ])('returns content that is the same for all clients: %s', (_what, question, content) => {
    expect(shownContent(question as Question, 'q')).toEqual(content)
  })

  it('contains a placeholder id, which encodeQuestion() replaces with a new id', () => {
    const client = new ClientView(undefined, { elicitation: { url: {} } })
    const urlIds = new Map<string, string>()
    const options = { revision: revision('2026-07-28'), client, urlIds }
    const { params } = encodeQuestion(withId, 'q', options)
    encodeQuestion(url, 'other', options)
    expect([...urlIds.keys()]).toEqual(['q'])
    expect(params['url']).toBe(`https://x/${urlIds.get('q')}`)
  })
})

describe('decodeResponse', () => {
  const seen = elicit('Which?', FORM, { declined: 'see' })
  const seenUrl = elicitUrl('Pay', 'https://x/', { declined: 'see' })
  const sampled = { role: 'assistant', content: text.content, model: 'm' }
  const accept = { action: 'accept', content: { a: 'x' } }

  it.each<[string, unknown, object, unknown]>([
    ['a form', form, accept, { a: 'x' }],
    ['a form read with `see`', seen, accept, accept],
    ['a declined form read with `see`', seen, { action: 'decline' }, { action: 'decline' }],
    ['a URL', url, { action: 'accept' }, undefined],
    ['a URL read with `see`', seenUrl, { action: 'accept' }, { action: 'accept', content: undefined }],
    ['a closed URL read with `see`', seenUrl, { action: 'cancel' }, { action: 'cancel' }],
    ['a message', plain, sampled, sampled],
    [
      'a message with several blocks',
      plain,
      { ...sampled, role: 'user', content: [] },
      { ...sampled, role: 'user', content: [] },
    ],
    ['the roots', listRoots(), { roots: [{ uri: 'file:///a' }] }, [{ uri: 'file:///a' }]],
  ])('returns the answer to %s', async (_what, question, response, answer) => {
    expect(await decodeResponse(question as Question, 'q', response as never)).toEqual(answer)
  })

  it.each<[string, unknown, object, string, RegExp]>([
    ['a declined form', form, { action: 'decline' }, 'declined', /^The user declined: Which\?$/],
    [
      'a closed form',
      form,
      { action: 'cancel' },
      'cancelled',
      /^The user closed without an answer: Which\?$/,
    ],
    [
      'a form without a message',
      elicit('', FORM),
      { action: 'decline' },
      'declined',
      /^The user declined: q$/,
    ],
    [
      'an unknown action',
      form,
      { action: 'later' },
      'invalid',
      /question "q" is not valid: the action must be/,
    ],
    [
      'content that is not an object',
      form,
      { action: 'accept', content: [] },
      'invalid',
      /content must be an object/,
    ],
    ['missing content', form, { action: 'accept' }, 'invalid', /question "q" is not valid: .*a/],
    ['a missing role', plain, { ...sampled, role: 'tool' }, 'invalid', /must have role, content and model/],
    [
      'a string as content',
      plain,
      { ...sampled, content: 'a' },
      'invalid',
      /must have role, content and model/,
    ],
    ['a missing model', plain, { ...sampled, model: 1 }, 'invalid', /must have role, content and model/],
    ['missing roots', listRoots(), {}, 'invalid', /roots must be a list of objects with a uri/],
    ['a root that is not an object', listRoots(), { roots: ['a'] }, 'invalid', /roots must be a list/],
    ['a root without a URI', listRoots(), { roots: [{ uri: 1 }] }, 'invalid', /roots must be a list/],
  ])('throws for %s', async (_what, question, response, reason, message) => {
    const decode = async (): Promise<unknown> => decodeResponse(question as Question, 'q', response as never)
    await expect(decode()).rejects.toThrow(QuestionError)
    await expect(decode()).rejects.toMatchObject({
      reason,
      message: expect.stringMatching(message) as string,
    })
  })

  it.each([
    ['form', accept, true],
    ['form', { action: 'accept' }, true],
    ['form', { action: 'accept', content: [] }, false],
    ['form', { action: 'decline', content: [] }, true],
    ['url', { action: 'odd' }, false],
    ['sampling', sampled, true],
    ['sampling', accept, false],
    ['roots', { roots: [] }, true],
    ['roots', accept, false],
  ] as const)('given a response to %s with %j, checkShape accepts or rejects it', (kind, response, valid) => {
    const check = (): void => checkShape(kind, response, 'q')
    if (valid) check()
    else expect(check).toThrow(QuestionError)
  })
})
