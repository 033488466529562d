#!/bin/sh
# Builds stand-ins for the two base images of the Containerfile from Debian's packages and the Node.js of this
# repository, for a machine that reaches Debian's mirrors but no image registry:
#
#   sh deploy/checks/base-images.sh
#   buildah build --build-arg NODE_IMAGE=localhost/recordhub-node --build-arg BASE_IMAGE=localhost/recordhub-base …
#
# recordhub-base has the packages of gcr.io/distroless/cc-debian12, and recordhub-node has a shell, Node.js and npm.
# Needs root, mmdebstrap, buildah, and an installed npm. Arguments are options of buildah, such as --root.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
suite=bookworm
options=$*

# The hooks run in the new folder tree. Packages that are only extracted have not run the scripts that create these files.
mmdebstrap --quiet --variant=extract --mode=root \
  --include=base-files,netbase,tzdata,ca-certificates,libc6,libgcc-s1,libstdc++6 \
  --customize-hook='cat "$1"/usr/share/ca-certificates/mozilla/*.crt > "$1/etc/ssl/certs/ca-certificates.crt"' \
  --customize-hook='printf "root:x:0:0::/root:/sbin/nologin\nnonroot:x:65532:65532::/home/nonroot:/sbin/nologin\n" > "$1/etc/passwd"' \
  --customize-hook='printf "root:x:0:\nnonroot:x:65532:\n" > "$1/etc/group"' \
  --customize-hook='rm -rf "$1"/usr/share/doc "$1"/usr/share/man "$1"/var/cache/apt "$1"/var/lib/apt' \
  "$suite" "$work/base.tar"

npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$work/node/usr/local/bin" "$work/node/usr/local/lib/node_modules"
cp "$(readlink -f "$root/node_modules/.bin/node")" "$work/node/usr/local/bin/node"
cp -r "$npm" "$work/node/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/node/usr/local/bin/npm"
mmdebstrap --quiet --variant=essential --mode=root --include=ca-certificates,libstdc++6 \
  --customize-hook="copy-in '$work/node/usr/local' /usr" \
  "$suite" "$work/node.tar"

# The images have one layer with the content of the archive.
import() {
  container=$(buildah $options from scratch)
  buildah $options add --quiet "$container" "$2" / > /dev/null
  buildah $options config --env PATH=/usr/local/bin:/usr/bin:/bin "$container"
  buildah $options commit --quiet --rm "$container" "$1" > /dev/null
}
import localhost/recordhub-base "$work/base.tar"
import localhost/recordhub-node "$work/node.tar"
