# Runs inside the sandbox: one file of commands, in the directory and with the variables the call before left.
# $1: the file of commands. $2: the directory that keeps the state. $3: the workspace.
__hr_file="$1" __hr_state="$2" __hr_root="$3"
set --
# shellcheck disable=SC1091
[ -r "$__hr_state/variables" ] && . "$__hr_state/variables" 2>/dev/null
__hr_before="$(cat "$__hr_state/directory" 2>/dev/null)"
if [ -n "$__hr_before" ] && ! cd "$__hr_before" 2>/dev/null; then
  echo "the working directory $__hr_before is gone; starting in $__hr_root" >&2
fi

__hr_save() {
  __hr_code=$?
  { set +eux; set +o pipefail; trap - EXIT; } 2>/dev/null
  local IFS=$' \t\n'
  mkdir -p "$__hr_state" && cd -P . 2>/dev/null
  jobs -rp | wc -l >"$__hr_state/jobs"
  pwd >"$__hr_state/directory"
  {
    for __hr_name in $(compgen -v); do
      case "$__hr_name" in
        __hr_* | BASH* | COMP_* | DIRSTACK | EPOCH* | EUID | FUNCNAME | GROUPS | HOME | HOST* | IFS | LINENO | MACHTYPE) ;;
        MPLCONFIGDIR | OLDPWD | OPT* | OSTYPE | PIPESTATUS | PPID | PWD | RANDOM | SECONDS | SHELLOPTS | SHLVL) ;;
        SRANDOM | TMPDIR | UID | _) ;;
        *) declare -p "$__hr_name" ;;
      esac
    done
    unset -f __hr_save
    declare -f
  } >"$__hr_state/variables.new" 2>/dev/null
  mv "$__hr_state/variables.new" "$__hr_state/variables"
  exit "$__hr_code"
}
trap __hr_save EXIT

# shellcheck disable=SC1090
. "$__hr_file"
