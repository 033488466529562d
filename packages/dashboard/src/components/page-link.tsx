import { Anchor, type AnchorProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Props = AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>

function Plain(props: Props) {
  return <Anchor {...props} />
}

/** A link to a page of the dashboard. The compiler checks its path. */
export const PageLink = createLink(Plain)
