import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CLIENTS, type DevClient } from './support/clients.ts'
import { createProject, definition, devOverHttp } from './support/project.ts'

async function connect(url: string): Promise<DevClient> {
  const client = await (CLIENTS['official v1'] as (typeof CLIENTS)[string])({ url })
  onTestFinished(() => client.close())
  return client
}

/** Returns the code of a server whose tools are named by the files in a folder. */
const readsNames = (folder: string): string =>
  definition(
    [],
    `
import { readdirSync, readFileSync } from 'node:fs'
for (const file of readdirSync('${folder}'))
  server.addTool({ name: readFileSync('${folder}/' + file, 'utf8'), handler: () => '' })`,
  )

it('jetway dev --watch restarts when a watched file is changed or created', async () => {
  const project = await createProject('')
  const data = join(project.folder, 'data')
  await mkdir(data)
  await writeFile(join(data, 'a.txt'), 'first')
  await project.save(readsNames(data))
  const dev = await devOverHttp(project, '--watch', join(project.folder, '**/*.txt'))
  const client = await connect(dev.url)
  expect(await client.tools()).toEqual(['echo', 'first'])
  for (const [file, names] of [
    ['a.txt', ['echo', 'second']],
    ['b.txt', ['echo', 'second', 'third']],
  ] as const) {
    const changed = client.changed()
    await writeFile(join(data, file), names.at(-1) ?? '')
    await changed
    expect(await client.tools()).toEqual(names)
  }
})

const LOGS = `
console.log('begin', process.pid)
process.on('exit', () => console.log('end', process.pid))`

it.each([
  ['', /begin (\d+)\n[^]*begin \d+\n[^]*end \1\n/],
  ['--stop-first', /begin (\d+)\n[^]*end \1\n[^]*begin \d+\n/],
])(
  'jetway dev starts the new process before the old one exits unless --stop-first is set: %j',
  async (option, order) => {
    const project = await createProject(definition([], LOGS))
    const dev = await devOverHttp(project, ...(option === '' ? [] : [option]))
    const client = await connect(dev.url)
    const changed = client.changed()
    await project.save(definition(['changed'], LOGS))
    await changed
    await dev.until(order)
  },
)
