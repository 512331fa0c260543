import { createValidator, type JsonSchema, maxSteps, StepLimitError } from '@jetway/json-schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const range = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i))
const limited = (schema: JsonSchema, steps = 1_000_000) => createValidator(schema, { limit: maxSteps(steps) })

/** Measures CPU time, so that the test also passes on a busy machine. */
function msOf(run: () => unknown): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

describe('maxSteps', () => {
  const item = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
  const list = { type: 'array', items: item }

  it('does not change validation results or errors', () => {
    for (const value of [[{ a: 1 }], [{ a: 'x' }], [{}], 5]) {
      expect(limited(list).isValid(value)).toBe(createValidator(list).isValid(value))
      expect(limited(list).errors(value)).toEqual(createValidator(list).errors(value))
    }
  })

  it('throws StepLimitError when a validation exceeds the limit', () => {
    const validator = limited(list, 3_000)
    const few = range(100, (a) => ({ a }))
    const many = range(1_000, (a) => ({ a }))
    expect(validator.isValid(few)).toBe(true)
    expect(() => validator.isValid(many)).toThrow(StepLimitError)
    expect(() => validator.isValid(many)).toThrow('it takes more than 3000 steps')
    expect(() => validator.errors(many)).toThrow(StepLimitError)
    expect(validator.isValid(few)).toBe(true)
  })

  it('throws StepLimitError when creating the validator exceeds the limit', () => {
    const schema = { allOf: range(100, () => ({ type: 'string' })) }
    expect(() => limited(schema, 10_000)).toThrow(StepLimitError)
    expect(limited(schema, 100_000).isValid('x')).toBe(true)
  })

  it('throws for references to a metaschema', () => {
    const $ref = 'https://json-schema.org/draft/2020-12/schema'
    expect(() => limited({ $ref })).toThrow("can't resolve reference")
    expect(createValidator({ $ref }).isValid({ type: 'string' })).toBe(true)
  })

  const doubling = Object.fromEntries(
    range(30, (i) => [
      `d${i}`,
      i === 29
        ? { required: ['never'] }
        : { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  )
  const text = 'x'.repeat(1_000_000)
  const often = (part: object): JsonSchema => ({
    $defs: { part },
    anyOf: range(1_500, () => ({ $ref: '#/$defs/part' })),
  })
  const chain = range(1_500, (i) => (i === 1_499 ? {} : { $ref: `#/$defs/d${i + 1}` }))

  it.each<[string, JsonSchema, unknown]>([
    ['alternatives that double at each level', { $defs: doubling, $ref: '#/$defs/d0' }, {}],
    [
      'oneOf with 3,000 constants',
      { items: { oneOf: range(3_000, (i) => ({ const: i })) } },
      range(3_000, () => -1),
    ],
    [
      '3,000 patterns for 3,000 members',
      {
        patternProperties: Object.fromEntries(range(3_000, (i) => [`^k${i}$`, true])),
        additionalProperties: false,
      },
      Object.fromEntries(range(3_000, (i) => [`k${i}`, i])),
    ],
    ['1,500 patterns', { allOf: range(1_500, () => ({ pattern: '^x*y?$' })) }, text.slice(0, 2_000)],
    ['long texts that are equal', often({ const: `${text}y` }), `${text}z`],
    ['long texts that are counted', often({ maxLength: 10 }), text],
    ['long names', { additionalProperties: { anyOf: range(1_500, (i) => ({ const: i })) } }, { [text]: -1 }],
    [
      'large objects',
      often({ additionalProperties: false }),
      Object.fromEntries(range(50_000, (i) => [`k${i}`, i])),
    ],
    ['large enumerations', often({ enum: range(3_000, (a) => ({ a })) }), { a: -1 }],
    ['lists of unique items', often({ uniqueItems: true }), [[text], [text], 1]],
    [
      'references to a long chain',
      {
        $defs: Object.fromEntries(chain.map((part, i) => [`d${i}`, part])),
        allOf: chain.map((_part, i) => ({ $ref: `#/$defs/d${i}` })),
      },
      {},
    ],
    ['a schema that is referred to often', often({ allOf: range(1_500, () => ({ type: 'object' })) }), 1],
    [
      'names that 1,500 parts evaluate',
      { allOf: range(1_500, (i) => ({ properties: { [`a${i}`]: true } })), unevaluatedProperties: false },
      {},
    ],
    ['true in a long list', { anyOf: range(100_000, () => true) }, 1],
  ])('limits the time for %s', (_, schema, value) => {
    const spent = msOf(() => {
      try {
        const validator = limited(schema)
        if (!validator.isValid(value)) validator.errors(value)
      } catch (error) {
        expect(error).toBeInstanceOf(StepLimitError)
      }
    })
    expect(spent).toBeLessThan(3_000)
  })
})

describe('patterns of a validator with maxSteps', () => {
  const matches = (pattern: string, text: string): boolean => limited({ pattern }).isValid(text)
  const native = (pattern: string, text: string): boolean => createValidator({ pattern }).isValid(text)

  const TEXTS = [
    '',
    'a',
    'b',
    'ab',
    'aab',
    'abab',
    'A-1',
    'a b',
    '\n',
    '😀',
    'é',
    'a😀b',
    '12-34',
    'p{}',
    '{a',
    'c',
    '\u0000',
  ]

  it.each([
    '', '^', '$', '^$', 'a', '^a', 'b$', '^a|b$', '^(a|b)$', '(?:ab)+', '^(?:ab){2}$', '^a{2,}b', '^[ab]{1,3}$', 'a??b',
    'a*?', 'x{0}', '^(?<name>a)b', '(?=.*b)a', '^(?!.*b)', '^(?=a)(?!ab)', String.raw`\bb`, String.raw`a\B`, String.raw`^\w+$`,
    String.raw`^\p{L}`, String.raw`^\u{1F600}$`, String.raw`^\uD83D\uDE00$`, String.raw`\x61`, String.raw`[\w-.]`,
    String.raw`^\p{}$`, '{a', ']', '[^]', '[]', String.raw`[\]a]`, String.raw`\cJ`, String.raw`\0`, '.', '^.$', '^.{2}$',
    '^(a+)+$', '^(a|aa)+$', '(x+x+)+y', '^(?:a?){3}b', '()*', '(a*)*b', String.raw`^\d+-\d+$`, '^(?:(?=a)a|b)*$', '(?=a)*b',
  ])('match in the same way as RegExp: %s', (pattern) => {
    expect(TEXTS.filter((text) => matches(pattern, text))).toEqual(TEXTS.filter((text) => native(pattern, text)))
  }) // prettier-ignore

  const { node } = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('a', 'b', '[ab]', '.', '^', '$', String.raw`\b`, String.raw`\W`, '[^a]', 'é'),
      fc.tuple(tie('node'), tie('node')).map((parts) => parts.join('')),
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(?:${a}|${b})`),
      fc
        .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,2}?', '{2,}', '*?'))
        .map(([part, quantifier]) => `(${part})${quantifier}`),
      fc.tuple(fc.constantFrom('?=', '?!'), tie('node')).map(([look, part]) => `(${look}${part})`),
    ),
  }))

  it('match in the same way as RegExp for generated patterns', () => {
    // V8 also starts matches inside a surrogate pair, so the texts must not contain any.
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é'), maxLength: 6 })
    fc.assert(
      fc.property(node, text, (pattern, value) => {
        expect(matches(pattern, value)).toBe(native(pattern, value))
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['^(a+)+$', 'a'.repeat(20_000)],
    ['^(a|aa)+$', 'a'.repeat(20_000)],
    ['(x+x+)+y', 'x'.repeat(20_000)],
    ['^(?=(a+)+$)b', 'a'.repeat(20_000)],
    ['^a*a*a*a*a*a*a*a*$', 'a'.repeat(20_000)],
    [`${'a?'.repeat(30)}b`, 'a'.repeat(10_000)],
  ])('are matched in linear time: %s', (pattern, text) => {
    expect(msOf(() => expect(matches(pattern, `${text}!`)).toBe(false))).toBeLessThan(2_000)
  })

  it.each([String.raw`^(a)\1`, '(?<=a)b', '(?<!a)b', String.raw`(?<n>a)\k<n>`])(
    'are rejected if they contain backreferences or lookbehinds: %s',
    (pattern) => {
      expect(() => limited({ pattern })).toThrow(
        `the steps of the pattern ${JSON.stringify(pattern)} cannot be counted`,
      )
    },
  )

  it.each(['a{1000000}', '((a{100}){100}){100}', `^(?:a|a){1,${'9'.repeat(400)}}b`, '(?:){99999999}'])(
    'cause StepLimitError if they have too many states: %s',
    (pattern) => {
      expect(() => limited({ pattern })).toThrow(StepLimitError)
    },
  )

  it('cause SyntaxError if they are invalid regular expressions', () => {
    expect(() => limited({ patternProperties: { '(': {} } })).toThrow(SyntaxError)
  })

  it('exempt matching properties from additionalProperties', () => {
    const validator = limited({
      patternProperties: { '^a+$': { type: 'number' } },
      additionalProperties: false,
    })
    const values = [{ aa: 1 }, { aa: 'x' }, { ab: 1 }]
    expect(values.map((value) => validator.isValid(value))).toEqual([true, false, false])
  })
})
