import { Anchor, type AnchorProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import { TEXTS } from '../texts.ts'

type Props = AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>

function Plain(props: Props) {
  return <Anchor {...props} />
}

/** A link to a page of the dashboard. The compiler checks its path. */
export const PageLink = createLink(Plain)

/** A link to a pull: `Pull 12`, unless it has another text. */
export function PullLink({
  id,
  children = TEXTS.pullLink(id),
  ...props
}: AnchorProps & { id: number; children?: ReactNode }) {
  return (
    <PageLink to="/dashboard/pulls/$id" params={{ id: String(id) }} {...props}>
      {children}
    </PageLink>
  )
}
