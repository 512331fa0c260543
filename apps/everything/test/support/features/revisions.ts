import { expect } from 'vitest'
import type { Loose } from '../clients.ts'
import { CONTENTS } from './contents.ts'
import { CONVERSATION } from './conversation.ts'
import { type Feature, walk } from './feature.ts'
import { TOOLS } from './tools.ts'

/** Features that are omitted here: they differ in older revisions, or are slow and do not depend on the revision. */
const ELSEWHERE =
  /^(initialize|pagination|progress|cancellation|fifty|tools\/list|tools\/call: (every|struct))/

/**
 * Returns the check of what is specific to this revision, followed by the features that all revisions with
 * sessions share.
 */
export function featuresAt(revision: string): readonly Feature[] {
  const alike = [...CONVERSATION, ...TOOLS, ...CONTENTS].filter(({ name }) => !ELSEWHERE.test(name))
  return [speaks(revision), ...alike]
}

const speaks = (revision: string): Feature => ({
  name: 'what is spoken is the revision that was offered, with its members and kinds of content alone',
  async run(driver) {
    const { info, capabilities } = driver.server()
    const titled = revision >= '2025-06-18'
    expect(info).toEqual({ name: 'everything', version: '1.0.0', ...(titled && { title: 'Everything' }) })
    expect('completions' in (capabilities ?? {})).toBe(revision >= '2025-03-26')
    const { content, structuredContent } = await driver.callTool('describe_call')
    const [{ text } = {}] = content as Loose[]
    const described = { client: 'matrix', protocolVersion: revision, session: true }
    expect(JSON.parse(String(text))).toMatchObject(described)
    if (titled) expect(structuredContent).toMatchObject(described)
    else expect(structuredContent).toBeUndefined()
    const echo = (await walk(driver, 'tools/list', 'tools')).items.find(({ name }) => name === 'echo') ?? {}
    expect(['title', 'annotations', 'icons', '_meta'].filter((member) => member in echo)).toEqual([
      ...(titled ? ['title'] : []),
      ...(revision >= '2025-03-26' ? ['annotations'] : []),
      ...(titled ? ['_meta'] : []),
    ])
    const kinds = async (tool: string): Promise<unknown> =>
      ((await driver.callTool(tool))['content'] as Loose[]).map(({ type }) => type)
    expect(await kinds('test_audio_content')).toEqual([revision >= '2025-03-26' ? 'audio' : 'text'])
    expect(await kinds('resource_link')).toEqual([titled ? 'resource_link' : 'text'])
  },
})
