import { createValidator, type JsonSchema } from '@jetway/json-schema'
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ajvAlone, type Outcome, outcomeOf } from './support/ajv-alone.ts'

interface Group {
  readonly description: string
  readonly schema: JsonSchema | boolean
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/**
 * Debian's copy of https://github.com/json-schema-org/JSON-Schema-Test-Suite. No npm package contains the
 * cases for 2020-12.
 */
const SUITE = '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests'

/** Reads the test cases of a draft, keyed by file, except those for single formats. */
function suite(draft: string): Readonly<Record<string, readonly Group[]>> {
  const files = readdirSync(`${SUITE}/${draft}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json') && !file.startsWith('optional/format/'))
    .toSorted()
  return Object.fromEntries(
    files.flatMap((file) => {
      const groups = JSON.parse(readFileSync(`${SUITE}/${draft}/${file}`, 'utf8')) as readonly Group[]
      return groups.length === 0 ? [] : [[file.slice(0, -'.json'.length), groups]]
    }),
  )
}

/**
 * The number of cases in each file for which ajv itself differs from the suite. See
 * docs/design/decisions/validation.md.
 */
const AJV_DIFFERS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'draft2020-12': {
    dynamicRef: 25,
    'optional/cross-draft': 1,
    'optional/ecmascript-regex': 1,
    'optional/float-overflow': 1,
    'optional/format-assertion': 4,
    properties: 1,
    ref: 8,
    refRemote: 29,
    unevaluatedItems: 8,
    unevaluatedProperties: 1,
    unknownKeyword: 3,
    vocabulary: 5,
  },
  draft7: {
    'optional/content': 4,
    'optional/cross-draft': 2,
    'optional/float-overflow': 1,
    properties: 1,
    ref: 2,
    refRemote: 21,
    unknownKeyword: 3,
  },
}

const URIS: Readonly<Record<string, string>> = {
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
  draft7: 'http://json-schema.org/draft-07/schema#',
}

/** Wraps boolean schemas, because `createValidator` accepts only objects. */
function asObject(schema: JsonSchema | boolean, draft: string): JsonSchema {
  const object = typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : schema
  return { $schema: URIS[draft], ...object }
}

const attempt = <T>(compile: () => T): T | undefined => {
  try {
    return compile()
  } catch {
    return undefined
  }
}

const same = (outcome: Outcome): Outcome => outcome
const withoutPaths = (outcome: Outcome): Outcome =>
  'thrown' in outcome
    ? outcome
    : { ...outcome, errors: outcome.errors.map((error) => ({ ...error, schemaPath: '' })) }

describe.each(Object.keys(URIS))('JSON-Schema-Test-Suite, %s', (draft) => {
  const differing: Record<string, number> = {}

  describe.each(Object.entries(suite(draft)))('%s', (file, groups) => {
    it.each(groups.map((group) => [group.description, group] as const))('%s', (_, group) => {
      const schema = asObject(group.schema, draft)
      const alone = attempt(() => ajvAlone(schema))
      const validator = attempt(() => createValidator(schema))
      expect(validator === undefined, 'whether it is refused').toBe(alone === undefined)
      // Our metaschemas have fewer definitions than the original ones, so paths into them may differ.
      const shown = JSON.stringify({ ...schema, $schema: '' }).includes('json-schema.org')
        ? withoutPaths
        : same
      for (const { description, data, valid } of group.tests) {
        if (alone === undefined || validator === undefined) {
          differing[file] = (differing[file] ?? 0) + 1
          continue
        }
        const expected = outcomeOf(alone, data)
        expect(shown(outcomeOf(validator, data)), description).toEqual(shown(expected))
        if (!('valid' in expected) || expected.valid !== valid) differing[file] = (differing[file] ?? 0) + 1
      }
    })
  })

  it('is passed except where ajv also fails', () => {
    expect(differing).toEqual(AJV_DIFFERS[draft])
  })
})
