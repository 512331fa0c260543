import { describe, expect, it, onTestFinished } from 'vitest'
import { CLIENTS, type DevClient } from './support/clients.ts'
import { createProject, definition, TRANSPORTS } from './support/project.ts'
import { saveWhileCalling } from './support/saves.ts'

describe.each(Object.entries(TRANSPORTS))('saving a file while clients call over %s', (_, start) => {
  it.each(Object.entries(CLIENTS))('keeps %s connected', async (name, connect) => {
    const project = await createProject(definition())
    const client: DevClient = await connect(await start(project))
    onTestFinished(() => client.close())
    expect(await saveWhileCalling(project, { [name]: client }, 2)).toMatch(/^2 saves/)
  })
})
