import { describe, expect, it } from 'vitest'
import { survey } from '../src/index.ts'
import { compiled } from './support/compiled.ts'
import { examples, figma } from './support/documents.ts'

/** All operations of this example have servers of their own. */
const ELSEWHERE = /response-http-behavior/

describe('the examples of ReadMe', () => {
  it.each(['defs', 'inline'] as const)('become tools that compile, with refs: %s', async (refs) => {
    const documents = await examples()
    expect(documents.length).toBeGreaterThan(40)
    const versions = new Set<string>()
    let tools = 0
    for (const { name, document } of documents) {
      if (survey(document).operations.length === 0 || ELSEWHERE.test(name)) continue
      const names = await compiled(document, { refs, results: 'checked' })
      expect(new Set(names).size, name).toBe(names.length)
      for (const each of names) expect(each, name).toMatch(/^[a-z0-9_]{1,64}$/)
      const { swagger, openapi } = document as { readonly swagger?: string; readonly openapi?: string }
      versions.add(String(swagger ?? openapi).slice(0, 3))
      tools += names.length
    }
    expect([...versions].toSorted()).toEqual(['2.0', '3.0', '3.1'])
    expect(tools).toBeGreaterThan(300)
  })
})

describe('the document of Figma', () => {
  it('becomes tools that compile', async () => {
    const names = await compiled(await figma())
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain('get_file')
  })
})
