/** The tools of shop. Written by jetway types: do not edit, run it again. */
import { type RemoteTool, remoteTool } from '@jetway/client'

export interface GetOrderInput {
  /** The id, such as A1 */
  readonly id: string
}

export interface GetOrderOutput {
  readonly id: string
  readonly region: string
  readonly total: number
}

/**
 * Order
 * Finds an order by its id
 */
export const getOrder: RemoteTool<GetOrderInput, GetOrderOutput> = remoteTool('get_order')
