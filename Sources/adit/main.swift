print("adit")
