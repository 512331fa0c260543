import { describe, expect, it } from 'vitest'
import { Client, duplex } from '@jetway/client'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { reload, server as fromFolder } from '../src/server/skills-folder.ts'
import { type Approvals, loadSkill } from '../src/client/skills-host.ts'
import { server as fromData } from '../src/server/skills.ts'
import { ask } from './support.ts'

describe('skills in the skills guide', () => {
  it('are listed with their files if they are defined as data', async () => {
    expect((await ask(fromData, 'skills/list', {})).result).toMatchObject({
      skills: [
        {
          uri: 'skill://acme/billing/refunds/SKILL.md',
          frontmatter: { name: 'refunds', license: 'Apache-2.0' },
          resources: [{}, { uri: 'skill://acme/billing/refunds/templates/mail.md' }],
        },
      ],
    })
  })

  it('are listed from a folder, and updated after a reload', async () => {
    const uri = 'skill://code-review/SKILL.md'
    for (const again of [false, true]) {
      if (again) await reload()
      expect((await ask(fromFolder, 'skills/get', { uri })).result).toMatchObject({
        skill: { uri, frontmatter: { metadata: { version: '1.0' } }, resources: [{}, {}] },
      })
    }
    const { result: folder } = await ask(fromFolder, 'resources/directory/read', {
      uri: 'skill://code-review',
    })
    expect(folder?.['resources']).toMatchObject([{ uri }, { mimeType: 'inode/directory' }])
  })

  it('are loaded by a host after its user has agreed once', async () => {
    const [near, far] = createMemoryTransportPair()
    fromData.connect(far)
    await using client = new Client({ name: 'host', version: '1' }, { name: 'acme' })
    await client.connect(duplex(near))
    const remembered = new Set<string>()
    const answers = [false, true]
    const approvals: Approvals = {
      has: (...approval) => remembered.has(approval.join(' ')),
      ask: (server, skill, fingerprint) => {
        const yes = answers.shift() ?? false
        if (yes) remembered.add([server, skill.uri, fingerprint].join(' '))
        return Promise.resolve(yes)
      },
    }
    const uri = 'skill://acme/billing/refunds/SKILL.md'
    expect(await loadSkill(client, uri, approvals)).toBeUndefined()
    for (const again of [false, true]) {
      const loaded = await loadSkill(client, uri, approvals)
      expect(answers, again ? 'not asked again' : 'asked').toEqual([])
      expect((await loaded?.read('templates/mail.md'))?.text()).toBe('Dear customer, …\n')
    }
  })
})
