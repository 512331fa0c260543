import { expect } from 'vitest'
import { type Feature, text, walk } from './feature.ts'

const toolsList: Feature = {
  name: 'tools/list: names, schemas, annotations, icons and metadata arrive',
  async run(driver) {
    const { items } = await walk(driver, 'tools/list', 'tools')
    expect(items.find(({ name }) => name === 'echo')).toMatchObject({
      title: 'Echo',
      description: 'Gives back the text it is given',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      icons: [{ src: 'https://example.com/echo.png' }],
      _meta: { 'dev.jetway/example': true },
    })
    expect(items.find(({ name }) => name === 'statistics')).toMatchObject({
      outputSchema: { type: 'object' },
    })
  },
}

const toolsCall: Feature = {
  name: 'tools/call: every kind of content arrives',
  async run(driver) {
    const odd = 'line\nbreak, "quotes", \u2028 and 👩‍🚀'
    expect(await driver.callTool('echo', { text: odd })).toMatchObject(text(odd))
    expect(await driver.callTool('test_image_content')).toMatchObject({
      content: [{ type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) }],
    })
    expect(await driver.callTool('test_audio_content')).toMatchObject({
      content: [{ type: 'audio', mimeType: 'audio/wav', data: expect.stringMatching(/^UklGR/) }],
    })
    expect(await driver.callTool('test_multiple_content_types')).toMatchObject({
      content: [{ type: 'text' }, { type: 'image' }, { type: 'resource' }],
    })
    expect(await driver.callTool('resource_link')).toMatchObject({
      content: [{ type: 'resource_link', uri: 'test://static-text', name: 'static-text' }],
    })
  },
}

const toolErrors: Feature = {
  name: 'tools/call: a failure and bad arguments are for the model, an unknown tool is an error',
  async run(driver) {
    expect(await driver.callTool('test_error_handling')).toMatchObject({
      isError: true,
      ...text('This tool intentionally returns an error for testing'),
    })
    const refused = await driver.callTool('echo', { text: 5 })
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused['content'])).toContain('text')
    await expect(driver.callTool('no_such_tool')).rejects.toMatchObject({ code: -32602 })
  },
}

const structured: Feature = {
  name: 'tools/call: structured output satisfies the schema that the client holds it against',
  async run(driver) {
    // The clients validate results only after they have listed the tools.
    await driver.listTools()
    const statistics = { sum: 6, mean: 2, range: { min: 1, max: 3 } }
    expect(await driver.callTool('statistics', { numbers: [1, 2, 3] })).toMatchObject({
      structuredContent: statistics,
      ...text(JSON.stringify(statistics)),
    })
    expect(await driver.callTool('full_result')).toMatchObject({
      structuredContent: { answer: 42 },
      _meta: { 'dev.jetway/source': 'a book' },
      ...text('The answer is forty-two'),
    })
  },
}

const outputText: Feature = {
  name: 'tools/call: an output that is no object is beyond what a session can say, and comes as text',
  async run(driver) {
    const squares = await driver.callTool('squares', { count: 3 })
    expect(squares).toMatchObject(text('[1,4,9]'))
    expect(squares).not.toHaveProperty('structuredContent')
  },
}

/** Tools: lists, results and errors. */
export const TOOLS: readonly Feature[] = [toolsList, toolsCall, toolErrors, structured, outputText]
