import { describe, expect, it } from 'vitest'
import { CliError } from '../../src/errors.ts'
import { readJetwayJson } from '../../src/project/jetway-json.ts'
import { folderOf } from '../support/folder.ts'

const read = (content: unknown): Promise<unknown> => readJetwayJson(folderOf({ 'jetway.json': content }))

const failure = async (content: unknown): Promise<string> => {
  const error: unknown = await read(content).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CliError)
  const { message, hint } = error as CliError
  return `${message.replace(/^.*jetway\.json/, 'jetway.json')} → ${hint}`
}

const setting = { title: 'Key', description: 'The key' }

describe('readJetwayJson', () => {
  it('returns an empty object if there is no file', async () => {
    expect(await readJetwayJson(folderOf({}))).toEqual({})
  })

  it('returns the content of a valid file', async () => {
    const content = { $schema: 'x', entry: 'server.ts', settings: { KEY: { ...setting, secret: true } } }
    expect(await read(content)).toEqual(content)
  })

  it.each([
    [
      { privacyPolcy: 'https://a.example' },
      'jetway.json has the unknown key "privacyPolcy" → Did you mean privacyPolicy?',
    ],
    [
      { settings: { KEY: { ...setting, requird: true } } },
      'jetway.json has the unknown key "requird" in settings.KEY → Did you mean required?',
    ],
    [
      { testCases: { positive: [{ description: 'a', prompt: 'b', tool: [], expected: 'c' }] } },
      'jetway.json has the unknown key "tool" in testCases.positive[0] → Did you mean tools?',
    ],
    [
      { bundle: { zzzzzz: 1 } },
      'jetway.json has the unknown key "zzzzzz" in bundle → Known keys are external, files, toolsGenerated',
    ],
  ])('suggests the nearest known key for the unknown key in %j', async (content, text) => {
    expect(await failure(content)).toBe(text)
  })

  it.each([
    [{ category: 'WEATHER' }, 'category'],
    [{ privacyPolicy: 'http://a.example' }, 'privacyPolicy'],
    [{ settings: { KEY: { title: 'Key' } } }, 'settings.KEY'],
    [{ settings: { 'a-b': setting } }, 'settings'],
    [
      { settings: { KEY: { ...setting, secret: true, default: 'x' } } },
      'settings.KEY is secret and has a default',
    ],
    [{ settings: { KEY: { ...setting, secret: true, type: 'number' } } }, 'its type must be string'],
    [{ settings: { KEY: { ...setting, type: 'number', default: 'x' } } }, 'must be a number'],
    [[], 'jetway.json: It must be object'],
    ['{ // comment\n}', 'cannot be read'],
  ])('rejects %j', async (content, text) => {
    expect(await failure(content)).toContain(text)
  })
})
