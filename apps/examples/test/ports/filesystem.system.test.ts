import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Differences, replaceText } from './support/compare.ts'
import { FILESYSTEM_DIFFERENCES } from './support/filesystem-differences.ts'
import { FILESYSTEM_STEPS, ROOT_CHANGES } from './support/filesystem-steps.ts'
import { contentsOf, createFolders, type Folders } from './support/folders.ts'
import {
  connect,
  type OfficialClient,
  type Seen,
  type Step,
  titleOf,
  VERSIONS,
} from './support/official-client.ts'
import { original, port } from './support/programs.ts'

describe.each(VERSIONS)('the port of server-filesystem, for the official client %s', (version) => {
  const differences = new Differences(FILESYSTEM_DIFFERENCES)
  let folders: Folders
  let theirs: OfficialClient
  let ours: OfficialClient

  beforeAll(async () => {
    folders = await createFolders()
    ;[theirs, ours] = await Promise.all([
      connect(version, { args: original('filesystem', folders.shared, folders.theirs), capabilities: {} }),
      connect(version, { args: port('filesystem', folders.shared, folders.ours), capabilities: {} }),
    ])
  })
  afterAll(async () => {
    await Promise.all([theirs.close(), ours.close()])
    await folders.remove()
  })

  it('returns the same initialize result as the original', () => {
    expect(ours.server).toEqual(theirs.server)
  })

  it.each(FILESYSTEM_STEPS.map((step) => [titleOf(step), step] as const))('%s', async (_title, step) => {
    const [expected, actual] = await Promise.all([
      runIn(folders, folders.theirs, theirs, step),
      runIn(folders, folders.ours, ours, step),
    ])
    expect(differences.remove(actual, step)).toEqual(differences.remove(expected, step))
  })

  it('creates the same files as the original, and none outside the allowed folders', async () => {
    expect(await contentsOf(folders.ours)).toEqual(await contentsOf(folders.theirs))
    expect(await contentsOf(folders.outside)).toMatchObject([['/secret.txt', 0o100644, 'secret\n']])
  })

  it('differs from the original in every listed way', () => {
    expect(differences.unmet).toEqual([])
  })
})

describe.each(VERSIONS)('the ported server-filesystem with roots from the official client %s', (version) => {
  const differences = new Differences(FILESYSTEM_DIFFERENCES)
  let folders: Folders

  beforeAll(async () => void (folders = await createFolders()))
  afterAll(() => folders.remove())

  it.each([
    ['started with folders', true],
    ['started without folders', false],
  ])('uses the same folders as the original if %s', async (_title, hasOwn) => {
    const args = hasOwn ? [folders.shared] : []
    const capabilities = { roots: { listChanged: true } }
    const clients = await Promise.all([
      connect(version, { args: original('filesystem', ...args), capabilities }),
      connect(version, { args: port('filesystem', ...args), capabilities }),
    ])
    try {
      for (const { name, replies, steps } of ROOT_CHANGES) {
        const placed = placeIn(folders, folders.ours, replies)
        for (const client of clients) client.reply(placed)
        await Promise.all(clients.map((client) => client.notify('notifications/roots/list_changed')))
        await vi.waitFor(async () => {
          for (const step of steps) {
            const [expected, actual] = await Promise.all(
              clients.map((client) => runIn(folders, folders.ours, client, step)),
            )
            // The original requests the roots after the handshake and after each change. The port requests them
            // during the next call.
            expect(differences.remove({ ...actual, asked: [] } as Seen, step), name).toEqual(
              differences.remove({ ...expected, asked: [] } as Seen, step),
            )
          }
        })
      }
    } finally {
      await Promise.all(clients.map((client) => client.close()))
    }
  })
})

/** Replaces the placeholders for folders with their paths. */
const placeIn = <T>({ shared, outside }: Folders, own: string, value: T): T =>
  replaceText(value, (text) =>
    text.replaceAll('{shared}', shared).replaceAll('{own}', own).replaceAll('{outside}', outside),
  )

async function runIn(folders: Folders, own: string, client: OfficialClient, step: Step): Promise<Seen> {
  const seen = await client.run(placeIn(folders, own, step))
  return replaceText(seen, (text) =>
    text
      .replaceAll(folders.shared, '{shared}')
      .replaceAll(own, '{own}')
      .replaceAll(folders.outside, '{outside}'),
  )
}
