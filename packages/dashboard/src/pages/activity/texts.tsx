import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../../texts.ts'

/** The texts of the Activity page. */
export const TEXTS = {
  ...COMMON_TEXTS,

  open: 'Open',
  notReplayed: 'Not replayed',

  accept: 'Accept as exceptions',
  acceptedBy: (name: ReactNode, time: ReactNode) => (
    <>
      Accepted as exceptions by {name}, {time}, until they change
    </>
  ),

  rejectedRecord: 'Rejected record',

  noActivityYetHint: 'Activity appears here when a platform is registered, pushes or is pulled.',

  dismissed: 'Dismissed',

  recordsReview: 'Records of this review',

  dismiss: 'Dismiss',

  groupedByCause: 'Grouped by cause',
  cause: 'Cause',
  selected: 'Selected',
  showOnlyThese: 'Show only these',
}
