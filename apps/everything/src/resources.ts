import type { McpServer } from '@jetway/core'
import { PNG } from './media.ts'

const COLOURS = ['black', 'blue', 'brown', 'green', 'grey', 'red', 'white', 'yellow']

export function addResources(server: McpServer): void {
  server.addResource({
    uri: 'test://static-text',
    name: 'static-text',
    title: 'Text',
    description: 'A text that never changes',
    mimeType: 'text/plain',
    annotations: { audience: ['user', 'assistant'], priority: 0.5 },
    handler: () => 'This is the content of the static text resource.',
  })
  server.addResource({
    uri: 'test://static-binary',
    name: 'static-binary',
    title: 'Image',
    description: 'Bytes that never change',
    mimeType: 'image/png',
    size: PNG.length,
    handler: () => PNG,
  })
  server.addResource({
    uri: 'test://watched-resource',
    name: 'watched-resource',
    description: 'A text to subscribe to; touch_watched_resource announces a change of it',
    mimeType: 'text/plain',
    handler: () => 'Watched resource content',
  })
  server.addResource({
    uri: 'test://json',
    name: 'json',
    description: 'A value that becomes JSON text',
    handler: () => ({ colours: COLOURS }),
  })
}

export function addResourceTemplates(server: McpServer): void {
  server.addResourceTemplate({
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'A record, whatever its id',
    mimeType: 'application/json',
    handler: ({ id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
  })
  server.addResourceTemplate({
    uriTemplate: 'test://colours/{colour}',
    name: 'colour',
    title: 'Colour',
    description: 'A colour by its name',
    mimeType: 'text/plain',
    complete: { colour: (typed) => COLOURS.filter((colour) => colour.startsWith(typed)) },
    handler: ({ colour }, ctx) => `${ctx.uri} is ${colour}`,
  })
}
