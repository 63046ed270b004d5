"""``python -m supersparse``: the command line where the command itself is not on the path."""

from supersparse.show.cli.app import main

if __name__ == "__main__":
    main()
