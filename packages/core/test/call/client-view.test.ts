import { describe, expect, it } from 'vitest'
import { ClientView } from '../../src/call/request-context.ts'

describe('ClientView', () => {
  const client = new ClientView(undefined, {
    roots: {},
    sampling: { tools: {} },
    elicitation: { form: false, url: null },
    extensions: { 'a/b': { c: 1 }, odd: 1 },
  })

  it.each([
    ['roots', true],
    ['roots.listChanged', false],
    ['sampling', true],
    ['sampling.tools', true],
    ['sampling.tools.more', false],
    ['elicitation.form', false],
    ['elicitation.url', false],
    ['elicitation.url.more', false],
    ['tasks', false],
    ['toString', false],
  ])('given %s, supports() returns %s', (capability, supported) => {
    expect(client.supports(capability)).toBe(supported)
  })

  it("returns an extension's settings", () => {
    expect(['a/b', 'odd', 'toString'].map((id) => client.extension(id))).toEqual([
      { c: 1 },
      undefined,
      undefined,
    ])
    expect(new ClientView(undefined, { extensions: [] } as never).extension('0')).toBeUndefined()
  })
})
