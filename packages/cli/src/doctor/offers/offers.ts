import type { Offers } from '../../list/offers.ts'
import type { Finding } from '../finding.ts'
import { ok, some, warning } from '../verdicts.ts'
import { checkNames } from './names.ts'
import { checkSchemas } from './schemas.ts'
import { checkSize } from './size.ts'

export interface OffersSubject {
  readonly offers: Offers
  /** The server's name in the host. It is part of the names that models see. */
  readonly serverName: string | undefined
}

/** Checks a server's lists against the requirements of hosts and model APIs. */
export async function checkOffers({ offers, serverName }: OffersSubject): Promise<readonly Finding[]> {
  return [
    ...checkNames(offers, serverName),
    checkDescriptions(offers),
    ...(await checkSchemas(offers.tools)),
    ...checkSize(offers.tools),
  ]
}

function checkDescriptions({ tools }: Offers): Finding {
  const silent = tools.filter(
    ({ description }) => typeof description !== 'string' || description.trim() === '',
  )
  if (silent.length === 0) return ok('tool-descriptions', `${tools.length} tools have one`)
  return warning(
    'tool-descriptions',
    `${some(silent.map(({ name }) => name))} ${silent.length === 1 ? 'has' : 'have'} no description`,
    'Describe what each tool does and when to use it: models choose tools by that',
  )
}
