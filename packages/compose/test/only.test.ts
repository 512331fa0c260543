import { connect } from '@jetway/testing'
import { describe, expect, it } from 'vitest'
import { only, sourceOf } from '../src/index.ts'
import { create, keepLines } from './support/servers.ts'

function createChild() {
  const child = create('child')
  for (const name of ['list_users', 'get_user', 'delete_user'])
    child.addTool({
      name,
      relatedTools: [{ name: 'delete_user', relation: 'related' }],
      handler: () => name,
    })
  child.addPrompt({ name: 'greet', handler: () => 'hello' })
  child.addResource({ uri: 'data://public/a', name: 'a', handler: () => 'a' })
  child.addResource({ uri: 'data://private/b', name: 'b', handler: () => 'b' })
  child.addResourceTemplate({ uriTemplate: 'notes://{day}', name: 'notes', handler: () => 'n' })
  return child
}

describe('only', () => {
  it('leaves what a pattern allows, and whole kinds that it does not name', async () => {
    const parent = create('parent')
    parent.observe(only({ tools: ['list_*', 'get_*'] }, sourceOf(createChild())))
    await using client = await connect(parent)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['list_users', 'get_user'])
    await expect(client.callTool('delete_user')).rejects.toThrow('Unknown tool')
    expect(await client.listPrompts()).toHaveLength(1)
    expect(await client.listResources()).toHaveLength(2)
  })

  it('denies before it allows, for every kind', async () => {
    const parent = create('parent')
    const source = sourceOf(createChild())
    parent.observe(
      only(
        {
          tools: { deny: ['delete_*'] },
          prompts: [],
          resources: { allow: ['data://*'], deny: ['*private*'] },
          resourceTemplates: { deny: ['*'] },
        },
        source,
      ),
    )
    await using client = await connect(parent)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['list_users', 'get_user'])
    expect(await client.listPrompts()).toEqual([])
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(['data://public/a'])
    await expect(client.readResource('data://private/b')).rejects.toThrow('not found')
    await expect(client.readResource('notes://monday')).rejects.toThrow('not found')
  })

  it('removes tools that it leaves out from the relations of others', async () => {
    const { lines, logger } = keepLines()
    const parent = create('parent', { logger })
    parent.observe(only({ tools: ['get_user'] }, sourceOf(createChild())))
    await using client = await connect(parent)
    expect((await client.listTools())[0]).not.toHaveProperty('_meta')
    expect(lines).toEqual([])
  })
})
