import { content, type McpServer, result, ToolError } from '@jetway/core'
import { PNG, WAV } from '../media.ts'

/** One tool per content type, with the name that the conformance suite expects. */
export function addContentTools(server: McpServer): void {
  server.addTool({
    name: 'test_simple_text',
    title: 'Plain text',
    description: 'Answers with one text block',
    handler: () => 'This is a simple text response for testing.',
  })
  server.addTool({
    name: 'test_image_content',
    description: 'Answers with a small image',
    handler: () => content.image(PNG, 'image/png'),
  })
  server.addTool({
    name: 'test_audio_content',
    description: 'Answers with a short sound',
    handler: () => content.audio(WAV, 'audio/wav'),
  })
  server.addTool({
    name: 'test_embedded_resource',
    description: 'Answers with a resource inside the result',
    handler: () =>
      content.resource({
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      }),
  })
  server.addTool({
    name: 'test_multiple_content_types',
    description: 'Answers with text, an image and a resource in one result',
    handler: () =>
      result({
        content: [
          content.text('Multiple content types test:'),
          content.image(PNG, 'image/png'),
          content.resource({
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          }),
        ],
      }),
  })
  server.addTool({
    name: 'resource_link',
    description: 'Answers with a link to a resource of this server',
    handler: () => content.link({ uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' }),
  })
  server.addTool({
    name: 'test_error_handling',
    description: 'Always fails, with a text that is meant for the model',
    handler() {
      throw new ToolError('This tool intentionally returns an error for testing')
    },
  })
}
