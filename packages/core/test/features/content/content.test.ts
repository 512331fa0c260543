import { describe, expect, it } from 'vitest'
import { content, result } from '../../../src/features/content/content.ts'

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const wrong = expect.objectContaining({ code: 'ERR_MCP_INVALID_DEFINITION' })

describe('content helpers', () => {
  it('create blocks that are serialised with exactly the given members', () => {
    const annotations = { audience: ['user'], priority: 1 } as const
    expect(plain(content.text('a', { annotations, _meta: { k: 1 } }))).toEqual({
      type: 'text',
      text: 'a',
      annotations,
      _meta: { k: 1 },
    })
    expect(plain(content.image(new Uint8Array([1, 2, 3]), 'image/png'))).toEqual({
      type: 'image',
      data: 'AQID',
      mimeType: 'image/png',
    })
    expect(plain(content.audio('AQID', 'audio/wav', { annotations }))).toEqual({
      type: 'audio',
      data: 'AQID',
      mimeType: 'audio/wav',
      annotations,
    })
    expect(plain(content.link({ uri: 'a://b', name: 'b', size: 5 }))).toEqual({
      type: 'resource_link',
      uri: 'a://b',
      name: 'b',
      size: 5,
    })
    expect(plain(content.resource({ uri: 'a://b', text: '' }))).toEqual({
      type: 'resource',
      resource: { uri: 'a://b', text: '' },
    })
    expect(
      plain(content.resource({ uri: 'a://b', mimeType: 'image/png', blob: new Uint8Array([255]) })),
    ).toEqual({
      type: 'resource',
      resource: { uri: 'a://b', mimeType: 'image/png', blob: '/w==' },
    })
  })

  it.each([
    ['text that is not a string', () => content.text(5 as never)],
    ['base64 without padding', () => content.image('AQI', 'image/png')],
    ['base64 for URLs', () => content.image('_-__', 'image/png')],
    ['a data URL', () => content.image('data:image/png;base64,AQID', 'image/png')],
    ['numbers instead of bytes', () => content.audio([1, 2] as never, 'audio/wav')],
    ['a missing media type', () => content.image('AQID', undefined as never)],
    ['a media type without a subtype', () => content.image('AQID', 'png')],
    ['a link to a relative URI', () => content.link({ uri: 'b', name: 'b' })],
    [
      'a link with invalid annotations',
      () => content.link({ uri: 'a://b', name: 'b', annotations: { priority: 2 } }),
    ],
    ['a resource whose text is not a string', () => content.resource({ uri: 'a://b', text: 5 as never })],
    ['a resource without content', () => content.resource({ uri: 'a://b' })],
    ['a resource with two contents', () => content.resource({ uri: 'a://b', text: 'a', blob: 'AQID' })],
    ['a resource without a URI', () => content.resource({ text: 'a' } as never)],
    ['a blob that is not base64', () => content.resource({ uri: 'a://b', blob: '?' })],
  ])('reject %s', (_name, make) => {
    expect(make).toThrow(wrong)
  })

  it('reject an unsafe icon on a link', () => {
    const icons = [{ src: 'javascript:alert(1)' }]
    expect(() => content.link({ uri: 'a://b', name: 'b', icons })).toThrow(
      expect.objectContaining({ code: 'ERR_MCP_INVALID_ICON' }),
    )
  })

  it('reject a link without a name', () => {
    expect(() => content.link({ uri: 'a://b', name: '' })).toThrow(
      expect.objectContaining({ code: 'ERR_MCP_INVALID_NAME' }),
    )
  })

  it('create the only blocks that result() accepts', () => {
    const byHand = { type: 'text', text: 'a' } as never
    expect(() => result({ content: byHand })).toThrow(wrong)
    expect(() => result({ content: [content.text('a'), byHand] })).toThrow(wrong)
    expect(() => result.error(byHand)).toThrow(wrong)
  })
})
