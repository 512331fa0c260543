import { defineTool } from '@jetway/core'
import { READS } from './hints.ts'

/** A PNG with one red pixel. The original shows the MCP logo. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC'

export const getTinyImage = defineTool({
  name: 'get-tiny-image',
  title: 'Get Tiny Image Tool',
  description: 'Returns a tiny MCP logo image.',
  annotations: READS,
  handler: () => ({
    content: [
      { type: 'text', text: "Here's the image you requested:" },
      { type: 'image', data: PICTURE, mimeType: 'image/png' },
      { type: 'text', text: 'The image above is the MCP logo.' },
    ],
  }),
})
