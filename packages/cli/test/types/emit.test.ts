import type { Tool } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { emitTypes } from '../../src/types/emit.ts'

const toolOf = (inputSchema: object, more: Partial<Tool> = {}): Tool => ({
  name: 'f',
  inputSchema: { type: 'object', ...inputSchema },
  ...more,
})

/** Returns the declarations for one tool, without the file's header and the constant. */
const declared = (inputSchema: object): string =>
  emitTypes('shop', [toolOf(inputSchema)])
    .split('\n\n')
    .slice(1, -1)
    .join('\n\n')

const member = (schema: unknown): string =>
  declared({ properties: { a: schema }, required: ['a'] })
    .replace(/^export interface FInput \{\n {2}readonly a: /, '')
    .replace(/\n\}$/, '')

describe('emitTypes', () => {
  it('writes an interface for each schema and a constant for each tool', () => {
    const get: Tool = {
      name: 'get_order',
      title: 'Order',
      description: 'Gets it',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string', description: 'The id' } },
        required: ['id'],
      },
      outputSchema: { type: 'object', properties: { total: { type: 'number' } } },
    }
    expect(emitTypes('shop', [get, toolOf({}, { name: 'add-item' })]))
      .toBe(`/** The tools of shop. Written by jetway types: do not edit, run it again. */
import { type RemoteTool, remoteTool } from '@jetway/client'

export type AddItemInput = { readonly [name: string]: unknown }

export const addItem: RemoteTool<AddItemInput> = remoteTool("add-item")

export interface GetOrderInput {
  /** The id */
  readonly id: string
}

export interface GetOrderOutput {
  readonly total?: number
}

/**
 * Order
 * Gets it
 */
export const getOrder: RemoteTool<GetOrderInput, GetOrderOutput> = remoteTool("get_order")
`)
  })

  it('writes the same file regardless of the order in which the tools are listed', () => {
    const tools = ['b', 'a', 'c'].map((name) => toolOf({}, { name }))
    expect(emitTypes('shop', tools.toReversed())).toBe(emitTypes('shop', tools))
  })

  it.each<[schema: unknown, type: string]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: ['a', 1, null, true] }, '"a" | 1 | null | true'],
    [{ const: { a: [1] } }, '{ readonly a: readonly [1] }'],
    [{ type: 'array', items: { type: 'string' } }, 'readonly string[]'],
    [{ type: 'array', items: { type: ['string', 'number'] } }, 'readonly (string | number)[]'],
    [{ type: 'array', items: { type: 'array' } }, 'readonly (readonly unknown[])[]'],
    [{ type: 'array' }, 'readonly unknown[]'],
    [
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 1 },
      'readonly [string, number?, ...unknown[]]',
    ],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: false }, 'readonly [string?]'],
    [
      { type: 'object', additionalProperties: { type: 'number' } },
      '{\n    readonly [name: string]: number\n  }',
    ],
    [{ type: 'object', additionalProperties: false }, '{ readonly [name: string]: never }'],
    [{ type: 'object', required: ['x'] }, '{\n    readonly x: unknown\n  }'],
    [
      { type: 'object', properties: { 'a-b': {} }, additionalProperties: true },
      '{\n    readonly "a-b"?: unknown\n    readonly [name: string]: unknown\n  }',
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ oneOf: [{ type: 'string' }, {}] }, 'unknown'],
    [{ allOf: [{ type: 'string' }, { minLength: 1 }] }, 'string'],
    [
      { type: 'object', properties: { b: {} }, anyOf: [{ required: ['b'] }, { required: ['c'] }] },
      '{\n    readonly b?: unknown\n  } & ({\n    readonly b: unknown\n  } | {\n    readonly c: unknown\n  })',
    ],
    [{ properties: { b: { type: 'string' } } }, 'unknown'],
    [{ $ref: 'https://a.example/schema' }, 'unknown'],
    [{ $ref: '#/$defs/gone' }, 'unknown'],
    [{ $ref: '#/%zz' }, 'unknown'],
    [{ $dynamicRef: '#a' }, 'unknown'],
    [{ $id: 'https://a.example/', $ref: '#' }, 'unknown'],
    [{ not: {} }, 'unknown'],
    [true, 'unknown'],
    [false, 'never'],
    ['text', 'unknown'],
  ])('writes %j as %s', (schema, type) => {
    expect(member(schema)).toBe(type)
  })

  it('writes named types for references, including recursive ones', () => {
    const $defs = {
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, root: { $ref: '#' } } },
      loop: { anyOf: [{ $ref: '#/$defs/loop' }, { type: 'string' }] },
    }
    expect(
      declared({ $defs, properties: { node: { $ref: '#/$defs/node' }, loop: { $ref: '#/$defs/loop' } } }),
    ).toBe(
      `export interface FInput {
  readonly node?: FInputNode
  readonly loop?: FInputLoop
}

export interface FInputNode {
  readonly next?: FInputNode
  readonly root?: FInput
}

export type FInputLoop = unknown`,
    )
  })

  it('ignores keywords next to a reference only in draft-07', () => {
    const schema = { $defs: { a: { type: 'string' } }, properties: { a: { $ref: '#/$defs/a', const: 'x' } } }
    expect(declared(schema)).toContain('readonly a?: FInputA & "x"')
    expect(declared({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' })).toContain(
      'readonly a?: FInputA\n',
    )
    expect(declared({ ...schema, $schema: 'https://a.example/dialect' })).toContain('readonly a?: unknown')
  })

  it('writes unknown for schemas nested more than 32 levels deep', () => {
    let deep: object = { type: 'string' }
    for (let depth = 0; depth < 100; depth++) deep = { type: 'array', items: deep }
    expect(member(deep).split('readonly').length - 1).toBeLessThanOrEqual(33)
    expect(member(deep)).toContain('unknown')
  })

  it('numbers duplicate identifiers, and avoids reserved words', () => {
    const names = ['get-order', 'get_order', 'delete', 'remoteTool', '2fa', '???', 'undefined']
    const constants = [
      ...emitTypes(
        'shop',
        names.map((name) => toolOf({}, { name })),
      ).matchAll(/export const (\w+)/g),
    ]
    expect(constants.map(([, name]) => name)).toEqual([
      'n2fa',
      'tool',
      'deleteTool',
      'getOrder',
      'getOrder2',
      'remoteToolTool',
      'undefinedTool',
    ])
  })

  it('throws if there are too many tools or they are too large', () => {
    const many = Array.from({ length: 501 }, (_, at) => toolOf({}, { name: `t${at}` }))
    expect(() => emitTypes('shop', many)).toThrow('501 tools')
    expect(() => emitTypes('shop', [toolOf({ description: 'x'.repeat(1_048_576) })])).toThrow('1 MiB')
  })
})

describe('emitTypes for a hostile server', () => {
  const CODE = `*/\nglobalThis.hacked = true /* " ' \` \${x} \\ \u2028 \u202E @ts-nocheck`

  it("writes the server's strings only as comments and literals", () => {
    const schema = {
      type: 'object',
      title: CODE,
      description: CODE,
      properties: {
        [CODE]: { description: CODE, enum: [CODE] },
        a: { const: { [CODE]: CODE }, description: CODE },
        b: { $ref: `#/$defs/${encodeURIComponent(CODE)}` },
        c: { type: CODE, $ref: CODE },
        __proto__: { type: 'string' },
      },
      required: [CODE],
      $defs: { [CODE]: { type: 'string', description: CODE } },
    }
    const text = emitTypes(CODE, [
      { name: CODE, title: CODE, description: CODE, inputSchema: schema, outputSchema: schema },
    ])
    // Without comments and literals, the file contains none of the hostile strings.
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"/g, '')
    expect(code).not.toMatch(/globalThis\.|= true|@(?!jetway\/client)|`/)
    expect(text).not.toMatch(/[\u2028\u202E]/)
    const comments = text.split('\n').filter((line) => /^\s*(?:\/\*\*|\* )/.test(line))
    expect(comments.join('\n')).not.toMatch(/(?<!\\)@ts/)
  })
})
