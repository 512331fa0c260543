import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aiSdkTools, anthropicResult, openAiCallOutput, toHostResult } from '../src/index.ts'
import { mediaOf } from '../src/media.ts'
import { PNG } from './support/shop.ts'

const OTHER = 'application/x-other'

/** Ways in which servers encode binary data. */
const ENCODINGS: readonly (readonly [string, (base64: string) => string])[] = [
  ['as specified', (base64) => base64],
  ['URL-safe', (base64) => base64.replaceAll('+', '-').replaceAll('/', '_')],
  ['unpadded', (base64) => base64.replace(/=+$/, '')],
  ['wrapped', (base64) => base64.replaceAll(/.{1,76}/g, '$&\r\n')],
  ['with spaces around', (base64) => ` ${base64}\n`],
  ['as a data: URL', (base64) => `data:image/png;charset=x;base64,${base64}`],
  ['as a data: URL with spaces', (base64) => ` data:image/png; Base64 ,${base64}`],
  ['as an escaped data: URL', (base64) => `DATA:;BASE64,${encodeURIComponent(base64)}`],
]

describe('base64', () => {
  it.each(ENCODINGS)('is converted to canonical form from %s', (_, encode) => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
        const base64 = Buffer.from(bytes).toString('base64')
        expect(mediaOf(encode(base64), OTHER)?.data).toBe(base64)
      }),
    )
  })

  it('is converted to canonical form, or rejected, for any string', () => {
    const pieces = fc.constantFrom(
      'A',
      'z9',
      '+',
      '/',
      '-',
      '_',
      '=',
      '==',
      ' ',
      '\n',
      'data:',
      ';base64,',
      ',',
      '%3D',
      '%',
      'é',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((some) => some.join('')),
        ),
        (text) => {
          const data = mediaOf(text, OTHER)?.data
          expect(data).not.toBe('')
          if (data !== undefined) expect(Buffer.from(data, 'base64').toString('base64')).toBe(data)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it.each([
    '',
    ' \n',
    '=',
    'A',
    'a b!',
    'QQ==QQ==',
    'data:,hello',
    'data:image/png;base64,',
    'data:image/png;base64',
    'data:image/png;charset=x,QUJD',
    'data:base64,QUJD',
    'data:;base64,%',
    'data:;base64,QUJD%',
  ])('is rejected if it contains no bytes: %j', (text) => {
    expect(mediaOf(text, OTHER)).toBeUndefined()
  })
})

const base64 = (...bytes: (string | number[])[]): string =>
  Buffer.concat(bytes.map((each) => Buffer.from(each as string, 'latin1'))).toString('base64')
const JPEG = base64([0xff, 0xd8, 0xff, 0xe0], 'JFIF')

describe('media type', () => {
  it.each([
    ['image/jpg', JPEG, 'image/jpeg'],
    ['image/pjpeg', JPEG, 'image/jpeg'],
    ['image/png', JPEG, 'image/jpeg'],
    ['image/x-png', PNG, 'image/png'],
    ['', PNG, 'image/png'],
    ['application/octet-stream', base64('GIF87a'), 'image/gif'],
    ['image/gif', base64('GIF89a'), 'image/gif'],
    ['image/*', base64('RIFF', [1, 2, 3, 4], 'WEBPVP8 '), 'image/webp'],
    ['application/x-pdf', base64('%PDF-1.7'), 'application/pdf'],
    [' Image/TIFF ', base64('II*'), 'image/tiff'],
    ['audio/wav', base64('RIFF', [1, 2, 3, 4], 'WAVE'), 'audio/wav'],
    [undefined, base64('?'), 'application/octet-stream'],
  ])('is corrected from %s to the type of the bytes', (given, data, type) => {
    expect(mediaOf(data, given)).toEqual({ data, mimeType: type })
  })

  it('is taken from a data: URL if no other type is given', () => {
    expect(mediaOf('data:audio/ogg;base64,T2dnUw', '')?.mimeType).toBe('audio/ogg')
    expect(mediaOf('data:audio/ogg;base64,T2dnUw', 'audio/opus')?.mimeType).toBe('audio/opus')
  })
})

describe('media in tool results', () => {
  const sdkOutput = async (block: object, version: 6 | 7 = 7): Promise<unknown> => {
    const tools = await aiSdkTools(
      [{ name: 'x', description: '', server: '', inputSchema: { type: 'object' }, metadata: {} } as never],
      { jsonSchema: (schema) => schema, version },
    )
    return tools['x']?.toModelOutput({ output: toHostResult({ content: [block as never] }) })
  }

  it.each([
    [{ type: 'image', data: '', mimeType: 'image/png' }, '[image: image/png, no readable data]'],
    [{ type: 'image', data: '!!', mimeType: 'image/png' }, '[image: image/png, no readable data]'],
    [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }, '[image: image/png, 3 bytes]'],
    [{ type: 'image', data: 'PHN2Zz4', mimeType: 'image/svg+xml' }, '[image: image/svg+xml, 6 bytes]'],
    [
      { type: 'resource', resource: { uri: 'a://b', blob: '', mimeType: 'application/pdf' } },
      '[resource: a://b, application/pdf, no readable data]',
    ],
    [
      { type: 'resource', resource: { uri: 'a://b', blob: 'AAAA', mimeType: 'application/pdf' } },
      '[resource: a://b, application/pdf, 3 bytes]',
    ],
  ])('are described as text if they cannot be sent: %j', async (block, text) => {
    const result = toHostResult({ content: [block as never] })
    expect(anthropicResult('t', result).content).toEqual([{ type: 'text', text }])
    expect(openAiCallOutput('t', result).output).toBe(text)
    expect(await sdkOutput(block)).toEqual({ type: 'text', value: text })
  })

  it("are sent with the media type of their bytes, even in the host's own results", () => {
    const part = { type: 'image', data: PNG, mimeType: 'image/jpg' } as const
    const result = { parts: [part], text: '', structured: undefined, isError: false }
    expect(anthropicResult('t', result).content).toMatchObject([{ source: { media_type: 'image/png' } }])
  })

  it('are passed to the provider if they are audio files', async () => {
    const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }
    const file = { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'audio/wav' }
    expect(await sdkOutput(audio)).toEqual({ type: 'content', value: [file] })
    const old = { type: 'file-data', data: 'AAAA', mediaType: 'audio/wav' }
    expect(await sdkOutput(audio, 6)).toEqual({ type: 'content', value: [old] })
  })

  it("are omitted if they are empty, even in the host's own results", async () => {
    const part = { type: 'audio', data: '', mimeType: 'audio/wav' } as const
    const made = { parts: [part], text: 'nothing', structured: undefined, isError: false }
    const tools = await aiSdkTools(
      [{ name: 'x', description: '', server: '', inputSchema: { type: 'object' }, metadata: {} } as never],
      { jsonSchema: (schema) => schema },
    )
    expect(tools['x']?.toModelOutput({ output: made })).toEqual({ type: 'text', value: 'nothing' })
  })

  it('are sent if they can be repaired', async () => {
    const block = {
      type: 'image',
      data: `data:image/png;base64,${PNG.replaceAll('+', '-')}`,
      mimeType: 'image/jpg',
    }
    const result = toHostResult({ content: [block as never] })
    expect(anthropicResult('t', result).content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ])
    expect(openAiCallOutput('t', result).output).toMatchObject([
      { image_url: `data:image/png;base64,${PNG}` },
    ])
    expect(await sdkOutput(block)).toMatchObject({
      value: [{ type: 'file', data: { data: PNG }, mediaType: 'image/png' }],
    })
  })
})
