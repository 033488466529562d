import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { rejectedPushQuery } from '../../../api/rejected-pushes.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { SideDrawer } from '../../../components/side-drawer.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { RejectedDetails } from './rejected-details.tsx'

/** What was refused, whole: why, what was answered, the body, and a way to mend and replay it. */
export function RejectedDrawer() {
  const [state, change] = useUrlState()
  const id = /^[1-9]\d{0,14}$/.test(state['rejected'] ?? '') ? (state['rejected'] ?? null) : null
  const close = () => change({ rejected: null })
  return (
    <SideDrawer opened={id !== null} onClose={close} size="xl" title="What was refused">
      {id !== null && <Loaded key={id} id={id} onGone={close} />}
    </SideDrawer>
  )
}

function Loaded({ id, onGone }: { id: string; onGone: () => void }) {
  const { data, error, refetch } = useQuery(rejectedPushQuery(id))
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={400} />
  return <RejectedDetails rejected={data.rejected_push} onGone={onGone} />
}
