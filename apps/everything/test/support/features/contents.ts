import { expect } from 'vitest'
import type { Loose } from '../clients.ts'
import { type Feature, names, walk } from './feature.ts'

const resources: Feature = {
  name: 'resources: listed and read as text, bytes and JSON; an unknown one is an error',
  async run(driver) {
    const { items } = await walk(driver, 'resources/list', 'resources')
    expect(names(items)).toEqual(
      expect.arrayContaining(['static-text', 'static-binary', 'watched-resource', 'json']),
    )
    expect(await driver.readResource('test://static-text')).toMatchObject({
      contents: [
        { uri: 'test://static-text', mimeType: 'text/plain', text: expect.stringContaining('content of') },
      ],
    })
    expect(await driver.readResource('test://static-binary')).toMatchObject({
      contents: [
        { uri: 'test://static-binary', mimeType: 'image/png', blob: expect.stringMatching(/^iVBOR/) },
      ],
    })
    const { contents } = await driver.readResource('test://json')
    const [{ text: json, mimeType } = {}] = contents as Loose[]
    expect(mimeType).toBe('application/json')
    expect(JSON.parse(String(json))).toMatchObject({ colours: expect.arrayContaining(['blue']) })
    // The clients report different error codes for this.
    await expect(driver.readResource('test://nowhere')).rejects.toMatchObject({
      message: expect.stringContaining('Resource not found'),
      data: { uri: 'test://nowhere' },
    })
  },
}

const templates: Feature = {
  name: 'resource templates: listed, and filled in with what the address says',
  async run(driver) {
    const templatesListed = await driver.listResourceTemplates()
    expect(templatesListed.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'test://template/{id}/data',
      'test://colours/{colour}',
    ])
    const { contents } = await driver.readResource('test://template/a%20b/data')
    const [{ uri, text: json } = {}] = contents as Loose[]
    expect(uri).toBe('test://template/a%20b/data')
    expect(JSON.parse(String(json))).toEqual({ id: 'a b', templateTest: true, data: 'Data for ID: a b' })
  },
}

const subscriptions: Feature = {
  name: 'subscriptions: an update of a resource is announced, until the client unsubscribes',
  async run(driver) {
    const method = 'notifications/resources/updated'
    await driver.listen()
    await driver.subscribe('test://watched-resource')
    const update = driver.inbox.next(method)
    await driver.callTool('touch_watched_resource')
    expect(await update).toMatchObject({ params: { uri: 'test://watched-resource' } })

    await driver.unsubscribe('test://watched-resource')
    driver.inbox.clear()
    await driver.callTool('touch_watched_resource')
    // Waits for a notification about a later change, to be sure that the update did not cause one.
    const changed = driver.inbox.next('notifications/prompts/list_changed')
    await driver.callTool('add_prompt', { name: 'fence' })
    await changed
    await driver.callTool('remove_prompt', { name: 'fence' })
    expect(driver.inbox.of(method)).toEqual([])
  },
}

const prompts: Feature = {
  name: 'prompts: listed and got, with arguments, resources and images; a missing argument is an error',
  async run(driver) {
    const { items } = await walk(driver, 'prompts/list', 'prompts')
    expect(items.find(({ name }) => name === 'test_prompt_with_arguments')).toMatchObject({
      arguments: [
        { name: 'arg1', description: 'First test argument', required: true },
        { name: 'arg2', required: true },
      ],
    })
    expect(await driver.getPrompt('test_prompt_with_arguments', { arg1: 'x', arg2: 'y' })).toMatchObject({
      messages: [
        { role: 'user', content: { type: 'text', text: "Prompt with arguments: arg1='x', arg2='y'" } },
      ],
    })
    expect(
      await driver.getPrompt('test_prompt_with_embedded_resource', { resourceUri: 'test://anything' }),
    ).toMatchObject({ messages: [{ content: { resource: { uri: 'test://anything' } } }, { role: 'user' }] })
    expect(await driver.getPrompt('test_prompt_with_image')).toMatchObject({
      messages: [{ content: { type: 'image', mimeType: 'image/png' } }, { role: 'user' }],
    })
    expect(await driver.getPrompt('conversation')).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content: { text: 'I am' } }],
    })
    await expect(driver.getPrompt('test_prompt_with_arguments', { arg1: 'x' })).rejects.toMatchObject({
      code: -32602,
    })
    await expect(driver.getPrompt('no_such_prompt')).rejects.toMatchObject({ code: -32602 })
  },
}

const completion: Feature = {
  name: 'completion/complete: a prompt argument and a template variable go on from what was typed',
  async run(driver) {
    const prompt = { type: 'ref/prompt', name: 'test_prompt_with_arguments' } as const
    expect(await driver.complete(prompt, 'arg1', 'he')).toMatchObject({
      completion: { values: ['hello', 'hey'] },
    })
    expect(await driver.complete(prompt, 'arg2', 'he')).toMatchObject({ completion: { values: [] } })
    const template = { type: 'ref/resource', uri: 'test://colours/{colour}' } as const
    expect(await driver.complete(template, 'colour', 'b')).toMatchObject({
      completion: { values: ['black', 'blue', 'brown'] },
    })
  },
}

/** Resources, templates and prompts, and their completion. */
export const CONTENTS: readonly Feature[] = [resources, templates, subscriptions, prompts, completion]
