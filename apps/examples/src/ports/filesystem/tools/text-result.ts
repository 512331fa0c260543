import { z } from 'zod'

/** The output of all tools except one: the text is also the structured value. */
export const TEXT = z.object({ content: z.string() })

export const textResult = (text: string) => ({
  content: [{ type: 'text', text } as const],
  structuredContent: { content: text },
})

/** Hints for a tool that only reads. */
export const READS = { readOnlyHint: true, openWorldHint: false } as const
