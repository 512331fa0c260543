import { z } from 'zod'

/** The tools of all measured servers: two tools that are called, and many that are only listed. */

interface Addition {
  readonly a: number
  readonly b: number
}

export const addInput: z.ZodType<Addition> = z.object({ a: z.number(), b: z.number() })

export const add = ({ a, b }: Addition): string => String(a + b)

interface Asked {
  readonly city: string
  readonly days: number
}

/** This is a type, because the official SDK requires an index signature and interfaces have none. */
type Forecast = {
  city: string
  days: number
  temperature: number
  conditions: string
  wind: { speed: number; direction: string }
}

export const weatherInput: z.ZodType<Asked> = z.object({
  city: z.string().max(100),
  days: z.number().int().min(1).max(7).default(1),
})

export const weatherOutput: z.ZodType<Forecast> = z.object({
  city: z.string(),
  days: z.number(),
  temperature: z.number(),
  conditions: z.string(),
  wind: z.object({ speed: z.number(), direction: z.string() }),
})

export const weather = ({ city, days }: Asked): Forecast => ({
  city,
  days,
  temperature: 21.5,
  conditions: 'Partly cloudy',
  wind: { speed: 12, direction: 'NW' },
})

/** The schema of the tools that are only listed, with six properties. */
export const listedInput: z.ZodType = z.object({
  query: z.string().min(1).describe('What to search for'),
  limit: z.number().int().min(1).max(100).default(20).describe('How many results at most'),
  sort: z.enum(['relevance', 'newest', 'oldest']).describe('The order of the results'),
  tags: z.array(z.string()).optional().describe('Only results with all of these tags'),
  since: z.string().optional().describe('Only results after this day, as YYYY-MM-DD'),
  archived: z.boolean().default(false).describe('Whether archived results count'),
})

/** The default number of tools: the two that are called, and a hundred more. */
const DEFAULT_TOOLS = 102

/** Returns the number of tools to serve, as given by the argument `--tools N`. */
export function toolCount(): number {
  const at = process.argv.indexOf('--tools')
  return at === -1 ? DEFAULT_TOOLS : Number(process.argv[at + 1])
}

export const listedName = (index: number): string => `search_collection_${String(index).padStart(4, '0')}`
export const listedDescription = (index: number): string =>
  `Searches collection ${index} and returns the entries that match, best first`
